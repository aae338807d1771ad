import * as config from '../field.ts';
import { isObject, type Field } from '../field.ts';
import { ChartError, clip, quoted, type ChartPath } from './chart-error.ts';

/** A field that has to be there. */
type Required<Value> = Omit<Field<Value>, 'fallback'>;

export type ShapeFields<Shape> = { readonly [Key in keyof Shape]: Field<Shape[Key]> | Required<Shape[Key]> };

/** An object with these fields and no others, each checked. Only what the object itself holds is looked at. */
export function readFields<Shape extends object>(
  fields: ShapeFields<Shape>,
  given: unknown,
  path: ChartPath,
): Shape {
  if (!isObject(given)) throw new ChartError(path, `expects an object, and got ${shown(given)}.`);
  const known = Object.keys(fields);
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new ChartError(path, `there is no key ${quoted(unknown)}. The keys are ${known.join(', ')}.`);
  const entries = known.map((key) => [
    key,
    readField(fields[key as keyof Shape], Object.hasOwn(given, key) ? given[key] : undefined, [...path, key]),
  ]);
  // Every key is one of the fields, with a value that its field accepts.
  return Object.fromEntries(entries) as Shape;
}

function readField<Value>(field: Field<Value> | Required<Value>, value: unknown, path: ChartPath): Value {
  if (value === undefined && 'fallback' in field) return field.fallback;
  if (field.accepts(value)) return value;
  const came = value === undefined ? 'it is missing' : `got ${shown(value)}`;
  throw new ChartError(path, `expects ${field.expects}, and ${came}.`);
}

export function required<Value>({ expects, accepts }: Field<Value>): Required<Value> {
  return { expects, accepts };
}

export function nullable<Value>({ expects, accepts }: Field<Value> | Required<Value>): Field<Value | null> {
  return {
    fallback: null,
    expects: `${expects}, or null`,
    accepts: (value): value is Value | null => value === null || accepts(value),
  };
}

const nameMax = 64;

/** Names stand in prompts, one after another on a line. */
export const name: Field<string> = {
  fallback: '',
  expects: `a name: up to ${nameMax} characters on one line, without a space before or after`,
  accepts: (value): value is string =>
    typeof value === 'string' &&
    value !== '' &&
    value.length <= nameMax &&
    value.isWellFormed() &&
    value === value.trim() &&
    !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value),
};

const namesMax = 1_000;

export function names(min: number): Field<readonly string[]> {
  return {
    fallback: [],
    expects: min === 0 ? 'a list of names, each once' : 'a list of one or more names, each once',
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) &&
      value.length >= min &&
      value.length <= namesMax &&
      value.every(name.accepts) &&
      new Set(value).size === value.length,
  };
}

export function listOf(what: string, min: number, max: number): Field<unknown> {
  return {
    fallback: [],
    expects: `a list of ${min} to ${max} ${what}`,
    accepts: (value): value is unknown => Array.isArray(value) && value.length >= min && value.length <= max,
  };
}

export function wholeNumber(min: number, max: number): Required<number> {
  return required(config.wholeNumber(min, min, max));
}

const promptMax = 20_000;

export const prompt: Field<string> = {
  fallback: '',
  expects: `a text of up to ${promptMax} characters`,
  accepts: (value): value is string => typeof value === 'string' && value.length <= promptMax,
};

/** What came, for a message: what is short in full, of the rest its kind. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return value.length > 20 ? `a list of ${value.length}` : clip(listed(value));
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function listed(items: readonly unknown[]): string {
  return `[${items.map((item) => (Array.isArray(item) ? 'a list' : shown(item))).join(', ')}]`;
}
