/** Line breaks, control characters and marks that reorder text: what would let a value pose as something else. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Text that others wrote, fit for one line of a message: nothing unprintable, and no longer than asked for. */
export function oneLine(text: string, lengthMax: number): string {
  return cut(cut(text, lengthMax).replaceAll(unprintable, escape), lengthMax);
}

/** What was expected and what came, in words. */
export function mismatch(expected: string, value: unknown): string {
  return value === undefined ? `missing; expected ${expected}` : `expected ${expected}, got ${shown(value)}`;
}

/** A value as a message shows it: short and on one line, however large the value. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return oneLine(JSON.stringify(cut(value, 40)), 80);
  if (Array.isArray(value)) return 'an array';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : `a value of type ${typeof value}`;
}

function escape(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}

function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).toWellFormed()}…`;
}
