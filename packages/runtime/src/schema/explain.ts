import * as z from 'zod';
import { describeMismatch, formatShortValue } from '../text/one-line.ts';

/** Explains a validation issue: what was expected and what was received. */
export function explainSchemaIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return describeMismatch(addArticle(issue.expected), issue.input);
    case 'invalid_value':
      return describeMismatch(formatChoices(issue.values), issue.input);
    case 'invalid_union':
      return describeMismatch(
        formatChoices(Array.isArray(issue.options) ? issue.options : []),
        getDiscriminatorValue(issue),
      );
    case 'too_small':
      return describeMismatch(`at least ${formatLimit(Number(issue.minimum), issue.origin)}`, issue.input);
    case 'too_big':
      return describeMismatch(`at most ${formatLimit(Number(issue.maximum), issue.origin)}`, issue.input);
    case 'unrecognized_keys':
      return describeUnknownKeys(
        issue.keys,
        issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [],
      );
    default:
      return undefined;
  }
}

/** Formats the path of an issue: `calls[0].tool`. */
export function formatIssuePath(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

function formatLimit(limit: number, origin: string): string {
  const unit = origin === 'string' ? ' character' : origin === 'array' ? ' item' : '';
  return `${limit}${unit}${unit !== '' && limit !== 1 ? 's' : ''}`;
}

function addArticle(type: string): string {
  if (type === 'int') return 'a whole number';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function formatChoices(values: readonly unknown[]): string {
  const names = values.map((value) => JSON.stringify(value));
  return names.length === 1 ? String(names[0]) : `one of ${names.join(', ')}`;
}

/** Returns the value of a union's discriminator, which is what is wrong. */
function getDiscriminatorValue(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): unknown {
  const { input, discriminator } = issue;
  if (typeof input !== 'object' || input === null || discriminator === undefined) return input;
  return Reflect.get(input, discriminator) as unknown;
}

function describeUnknownKeys(unknown: readonly string[], known: readonly string[]): string {
  const others = unknown.length > 1 ? ` and ${unknown.length - 1} more` : '';
  return `unknown key ${formatShortValue(unknown[0])}${others}; the keys are ${known.join(', ')}`;
}
