import type { Json } from '@pawl/core';

/** Line breaks, control characters and bidirectional marks, which could make a value look like something else. */
const unprintablePattern = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Makes untrusted text safe for one line of a message: printable and truncated. */
export function toPrintableLine(text: string, lengthMax: number): string {
  return truncateText(
    truncateText(text, lengthMax).replaceAll(unprintablePattern, escapeCharacter),
    lengthMax,
  );
}

/** Describes what was expected and what was received. */
export function describeMismatch(expected: string, value: unknown): string {
  return value === undefined
    ? `missing; expected ${expected}`
    : `expected ${expected}, got ${formatShortValue(value)}`;
}

/** Formats a value for a message: short and on one line, however large the value. */
export function formatShortValue(value: unknown): string {
  if (typeof value === 'string') return toPrintableLine(JSON.stringify(truncateText(value, 40)), 80);
  if (Array.isArray(value)) return 'an array';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : `a value of type ${typeof value}`;
}

function escapeCharacter(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}

function truncateText(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).toWellFormed()}…`;
}

export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Formats a value for a reader: text as it is, anything else as JSON. */
export function formatJsonValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
