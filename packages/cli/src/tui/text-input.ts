/** The line the user types. `cursor` is an offset in code units, never inside a character. */
export type TextInput = { readonly text: string; readonly cursor: number };

export const emptyTextInput: TextInput = { text: '', cursor: 0 };

/** Maximum length of a message. */
const maxInputText = 20_000;

export function insertText(input: TextInput, text: string): TextInput {
  const added = text.toWellFormed().replaceAll(/\r\n?/g, '\n');
  const { text: before, cursor } = input;
  if (before.length + added.length > maxInputText) return input;
  return {
    text: before.slice(0, cursor) + added + before.slice(cursor),
    cursor: cursor + added.length,
  };
}

export type InputEdit = 'left' | 'right' | 'home' | 'end' | 'back' | 'delete' | 'word-back' | 'clear';

export function applyInputEdit(input: TextInput, edit: InputEdit): TextInput {
  const { text, cursor } = input;
  const before = text.slice(0, cursor);
  const after = text.slice(cursor);
  switch (edit) {
    case 'left':
      return { text, cursor: cursor - getLastGrapheme(before).length };
    case 'right':
      return { text, cursor: cursor + getFirstGrapheme(after).length };
    case 'home':
      return { text, cursor: 0 };
    case 'end':
      return { text, cursor: text.length };
    case 'back':
      return createTextInput(before.slice(0, before.length - getLastGrapheme(before).length), after);
    case 'delete':
      return createTextInput(before, after.slice(getFirstGrapheme(after).length));
    case 'word-back':
      return createTextInput(before.trimEnd().replace(/\S+$/u, ''), after);
    case 'clear':
      return emptyTextInput;
    default:
      return edit satisfies never;
  }
}

function createTextInput(before: string, after: string): TextInput {
  return { text: before + after, cursor: before.length };
}

const graphemeSegmenter = new Intl.Segmenter();

/** A visible character may consist of several code points. */
function getFirstGrapheme(text: string): string {
  return graphemeSegmenter.segment(text).containing(0)?.segment ?? '';
}

function getLastGrapheme(text: string): string {
  return text === '' ? '' : (graphemeSegmenter.segment(text).containing(text.length - 1)?.segment ?? '');
}
