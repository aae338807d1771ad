import * as z from 'zod';
import { mismatch, shown } from './one-line.ts';

/** What is wrong with a value, in words: what was expected and what came. */
export function explain(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return mismatch(article(issue.expected), issue.input);
    case 'invalid_value':
      return mismatch(oneOf(issue.values), issue.input);
    case 'invalid_union':
      return mismatch(oneOf(Array.isArray(issue.options) ? issue.options : []), chosen(issue));
    case 'too_small':
      return mismatch(`at least ${issue.minimum}`, issue.input);
    case 'too_big':
      return mismatch(`at most ${issue.maximum}`, issue.input);
    case 'unrecognized_keys':
      return unknownKeys(issue.keys, issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : []);
    default:
      return undefined;
  }
}

/** Where in a value: `calls[0].tool`. */
export function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

function article(type: string): string {
  if (type === 'int') return 'a whole number';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function oneOf(values: readonly unknown[]): string {
  const names = values.map((value) => JSON.stringify(value));
  return names.length === 1 ? String(names[0]) : `one of ${names.join(', ')}`;
}

/** A union is told apart by one key; its value is what is wrong. */
function chosen(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): unknown {
  const { input, discriminator } = issue;
  if (typeof input !== 'object' || input === null || discriminator === undefined) return input;
  return Reflect.get(input, discriminator) as unknown;
}

function unknownKeys(given: readonly string[], known: readonly string[]): string {
  const others = given.length > 1 ? ` and ${given.length - 1} more` : '';
  return `unknown key ${shown(given[0])}${others}; the keys are ${known.join(', ')}`;
}
