import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyInputEdit,
  emptyTextInput,
  insertText,
  moveInputLine,
  type InputEdit,
  type TextInput,
} from '../../src/tui/text-input.ts';

const edits: readonly InputEdit[] = [
  'left',
  'right',
  'word-left',
  'word-right',
  'line-start',
  'line-end',
  'back',
  'delete',
  'word-back',
  'delete-to-line-start',
  'delete-to-line-end',
];

describe('the input line', () => {
  it('inserts text at the cursor', () => {
    const input = insertText(applyInputEdit(insertText(emptyTextInput, 'ac'), 'left'), 'b');
    expect(input).toEqual({ text: 'abc', cursor: 2 });
  });

  it('deletes whole graphemes', () => {
    expect(applyInputEdit(insertText(emptyTextInput, 'a👩\u200d💻'), 'back')).toEqual({
      text: 'a',
      cursor: 1,
    });
    expect(
      applyInputEdit(applyInputEdit(insertText(emptyTextInput, 'e\u0301x'), 'line-start'), 'delete'),
    ).toEqual({
      text: 'x',
      cursor: 0,
    });
    expect(applyInputEdit(insertText(emptyTextInput, 'one two  '), 'word-back')).toEqual({
      text: 'one ',
      cursor: 4,
    });
  });

  it('keeps the cursor within the text for any edits', () => {
    const step = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom(...edits));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let input: TextInput = emptyTextInput;
        for (const each of steps) {
          const edit = edits.find((name) => name === each);
          input = edit === undefined ? insertText(input, each) : applyInputEdit(input, edit);
          expect(input.cursor).toBeGreaterThanOrEqual(0);
          expect(input.cursor).toBeLessThanOrEqual(input.text.length);
          expect(input.text.isWellFormed()).toBe(true);
          expect(input.text.slice(0, input.cursor).isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it('moves by words and lines', () => {
    const input = insertText(emptyTextInput, 'one two\nthree four');
    expect(applyInputEdit(input, 'word-left').cursor).toBe('one two\nthree '.length);
    expect(applyInputEdit(input, 'line-start').cursor).toBe('one two\n'.length);
    const above = moveInputLine(input, -1);
    expect(above?.cursor).toBe('one two'.length);
    expect(moveInputLine(above ?? input, -1)).toBeNull();
    expect(moveInputLine(input, 1)).toBeNull();
    expect(moveInputLine({ ...input, cursor: 2 }, 1)?.cursor).toBe('one two\nth'.length);
    expect(applyInputEdit(input, 'delete-to-line-start').text).toBe('one two\n');
    expect(applyInputEdit({ ...input, cursor: 3 }, 'delete-to-line-end').text).toBe('one\nthree four');
  });

  it('never moves into a character of the line above or below', () => {
    const input = insertText(emptyTextInput, 'a👩\u200d💻b\nab');
    expect(moveInputLine(input, -1)?.cursor).toBe(1);
  });

  it('has a maximum length', () => {
    const full = insertText(emptyTextInput, 'a'.repeat(20_000));
    expect(insertText(full, 'b')).toBe(full);
  });
});
