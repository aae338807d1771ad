import * as config from '@pawl/governor';
import { isPlainObject, type ConfigField } from '@pawl/governor';
import { ChartError, clipText, quoteText, type ChartPath } from './chart-error.ts';

/** A field without a default. */
type RequiredField<Value> = Omit<ConfigField<Value>, 'fallback'>;

export type ShapeFields<Shape> = {
  readonly [Key in keyof Shape]: ConfigField<Shape[Key]> | RequiredField<Shape[Key]>;
};

/** Parses an object with exactly these fields, each validated. Only own properties are read. */
export function parseFields<Shape extends object>(
  fields: ShapeFields<Shape>,
  value: unknown,
  path: ChartPath,
): Shape {
  if (!isPlainObject(value))
    throw new ChartError(path, `expects an object, and got ${describeInputValue(value)}.`);
  const known = Object.keys(fields);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new ChartError(path, `there is no key ${quoteText(unknown)}. The keys are ${known.join(', ')}.`);
  const entries = known.map((key) => [
    key,
    parseField(fields[key as keyof Shape], Object.hasOwn(value, key) ? value[key] : undefined, [
      ...path,
      key,
    ]),
  ]);
  // Every key is one of the fields, with a value that its field accepts.
  return Object.fromEntries(entries) as Shape;
}

function parseField<Value>(
  field: ConfigField<Value> | RequiredField<Value>,
  value: unknown,
  path: ChartPath,
): Value {
  if (value === undefined && 'fallback' in field) return field.fallback;
  if (field.accepts(value)) return value;
  const actual = value === undefined ? 'it is missing' : `got ${describeInputValue(value)}`;
  throw new ChartError(path, `expects ${field.expects}, and ${actual}.`);
}

export function toRequiredField<Value>({ expects, accepts }: ConfigField<Value>): RequiredField<Value> {
  return { expects, accepts };
}

export function toNullableField<Value>({
  expects,
  accepts,
}: ConfigField<Value> | RequiredField<Value>): ConfigField<Value | null> {
  return {
    fallback: null,
    expects: `${expects}, or null`,
    accepts: (value): value is Value | null => value === null || accepts(value),
  };
}

const chartNameMax = 64;

/** A name must fit on one line, because prompts list several names on a line. */
export const nameField: ConfigField<string> = {
  fallback: '',
  expects: `a name of up to ${chartNameMax} characters on one line, without leading or trailing spaces`,
  accepts: (value): value is string =>
    typeof value === 'string' &&
    value !== '' &&
    value.length <= chartNameMax &&
    value.isWellFormed() &&
    value === value.trim() &&
    !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value),
};

const chartNamesMax = 1_000;

export function createUniqueNamesField(min: number): ConfigField<readonly string[]> {
  return {
    fallback: [],
    expects: min === 0 ? 'a list of unique names' : 'a list of one or more unique names',
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) &&
      value.length >= min &&
      value.length <= chartNamesMax &&
      value.every(nameField.accepts) &&
      new Set(value).size === value.length,
  };
}

export function createListField(itemName: string, min: number, max: number): ConfigField<unknown> {
  return {
    fallback: [],
    expects: `a list of ${min} to ${max} ${itemName}`,
    accepts: (value): value is unknown => Array.isArray(value) && value.length >= min && value.length <= max,
  };
}

export function createRequiredIntegerField(min: number, max: number): RequiredField<number> {
  return toRequiredField(config.createIntegerField(min, min, max));
}

const promptLengthMax = 20_000;

export const promptField: ConfigField<string> = {
  fallback: '',
  expects: `text of up to ${promptLengthMax} characters`,
  accepts: (value): value is string => typeof value === 'string' && value.length <= promptLengthMax,
};

/** Describes a value for a message: short values in full, others by their kind. */
export function describeInputValue(value: unknown): string {
  if (typeof value === 'string') return quoteText(value);
  if (Array.isArray(value))
    return value.length > 20 ? `a list of ${value.length}` : clipText(describeInputList(value));
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function describeInputList(items: readonly unknown[]): string {
  return `[${items.map((item) => (Array.isArray(item) ? 'a list' : describeInputValue(item))).join(', ')}]`;
}
