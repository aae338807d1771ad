/** The line that the user types. `cursor` is a place in the text, in code units, never within a character. */
export type Input = { readonly text: string; readonly cursor: number };

export const emptyInput: Input = { text: '', cursor: 0 };

/** More than anybody types, and no more than a message should be. */
const textMax = 20_000;

export function typed(input: Input, text: string): Input {
  const added = text.toWellFormed().replaceAll(/\r\n?/g, '\n');
  const { text: before, cursor } = input;
  if (before.length + added.length > textMax) return input;
  return {
    text: before.slice(0, cursor) + added + before.slice(cursor),
    cursor: cursor + added.length,
  };
}

export type Edit = 'left' | 'right' | 'home' | 'end' | 'back' | 'delete' | 'word-back' | 'clear';

export function edited(input: Input, edit: Edit): Input {
  const { text, cursor } = input;
  const before = text.slice(0, cursor);
  const after = text.slice(cursor);
  switch (edit) {
    case 'left':
      return { text, cursor: cursor - lastSign(before).length };
    case 'right':
      return { text, cursor: cursor + firstSign(after).length };
    case 'home':
      return { text, cursor: 0 };
    case 'end':
      return { text, cursor: text.length };
    case 'back':
      return at(before.slice(0, before.length - lastSign(before).length), after);
    case 'delete':
      return at(before, after.slice(firstSign(after).length));
    case 'word-back':
      return at(before.trimEnd().replace(/\S+$/u, ''), after);
    case 'clear':
      return emptyInput;
    default:
      return edit satisfies never;
  }
}

function at(before: string, after: string): Input {
  return { text: before + after, cursor: before.length };
}

const segmenter = new Intl.Segmenter();

/** A character as the user sees it may be made of many. */
function firstSign(text: string): string {
  return segmenter.segment(text).containing(0)?.segment ?? '';
}

function lastSign(text: string): string {
  return text === '' ? '' : (segmenter.segment(text).containing(text.length - 1)?.segment ?? '');
}
