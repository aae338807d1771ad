/** The text the user types, which may have several lines. `cursor` is an offset in code units, never inside a character. */
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

/** Replaces the text, with the cursor at its end. */
export function setText(text: string): TextInput {
  return insertText(emptyTextInput, text.slice(0, maxInputText));
}

export type InputEdit =
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'line-start'
  | 'line-end'
  | 'back'
  | 'delete'
  | 'word-back'
  | 'delete-to-line-start'
  | 'delete-to-line-end';

export function applyInputEdit({ text, cursor }: TextInput, edit: InputEdit): TextInput {
  return inputEdits[edit](text.slice(0, cursor), text.slice(cursor));
}

/** Each edit, given the text before and after the cursor. */
const inputEdits: { readonly [Edit in InputEdit]: (before: string, after: string) => TextInput } = {
  left: (before, after) => moveCursor(before, after, -getLastGrapheme(before).length),
  right: (before, after) => moveCursor(before, after, getFirstGrapheme(after).length),
  'word-left': (before, after) => moveCursor(before, after, removeLastWord(before).length - before.length),
  'word-right': (before, after) => moveCursor(before, after, /^\s*\S*/u.exec(after)?.[0].length ?? 0),
  'line-start': (before, after) => moveCursor(before, after, findLineStart(before) - before.length),
  'line-end': (before, after) => moveCursor(before, after, findLineEnd(after)),
  back: (before, after) =>
    createTextInput(before.slice(0, before.length - getLastGrapheme(before).length), after),
  delete: (before, after) => createTextInput(before, after.slice(getFirstGrapheme(after).length)),
  'word-back': (before, after) => createTextInput(removeLastWord(before), after),
  'delete-to-line-start': (before, after) => createTextInput(before.slice(0, findLineStart(before)), after),
  'delete-to-line-end': (before, after) => createTextInput(before, after.slice(findLineEnd(after))),
};

function moveCursor(before: string, after: string, by: number): TextInput {
  return { text: before + after, cursor: before.length + by };
}

/** Moves the cursor to the line above or below, as far right as before; null on the first or last line. */
export function moveInputLine({ text, cursor }: TextInput, by: -1 | 1): TextInput | null {
  const start = findLineStart(text.slice(0, cursor));
  const column = cursor - start;
  const targetStart =
    by === -1 ? findLineStart(text.slice(0, Math.max(0, start - 1))) : text.indexOf('\n', cursor) + 1;
  if (by === -1 ? start === 0 : targetStart === 0) return null;
  const length = findLineEnd(text.slice(targetStart));
  // The offset may be inside a character of the other line: go to the start of that character.
  const target = text.slice(targetStart, targetStart + Math.min(column, length));
  const graphemeStart = graphemeSegmenter.segment(text.slice(targetStart)).containing(target.length)?.index;
  return { text, cursor: targetStart + (graphemeStart ?? target.length) };
}

function createTextInput(before: string, after: string): TextInput {
  return { text: before + after, cursor: before.length };
}

function removeLastWord(before: string): string {
  return before.trimEnd().replace(/\S+$/u, '');
}

function findLineStart(before: string): number {
  return before.lastIndexOf('\n') + 1;
}

function findLineEnd(after: string): number {
  const end = after.indexOf('\n');
  return end === -1 ? after.length : end;
}

const graphemeSegmenter = new Intl.Segmenter();

/** A visible character may consist of several code points. */
function getFirstGrapheme(text: string): string {
  return graphemeSegmenter.segment(text).containing(0)?.segment ?? '';
}

function getLastGrapheme(text: string): string {
  return text === '' ? '' : (graphemeSegmenter.segment(text).containing(text.length - 1)?.segment ?? '');
}
