import { quoteText } from '../modes/chart-error.ts';
import { describeInputValue } from '../modes/chart-fields.ts';
import { isPlainObject, type ConfigField } from '@pawl/governor';
import { ProfileError, type ProfilePath } from './profile-error.ts';

/** Parses an untrusted value, or throws a `ProfileError` that says what is wrong and where. */
export type ProfileParser<Value> = (value: unknown, path: ProfilePath) => Value;

export type ProfileParsers<Shape> = {
  readonly [Key in keyof Shape]-?: ProfileParser<Exclude<Shape[Key], undefined>>;
};

/** Parses an object with some of these keys and no others. Omitted keys stay absent, so that they can be inherited. */
export function createPartialParser<Shape extends object>(
  readers: ProfileParsers<Shape>,
): ProfileParser<Partial<Shape>> {
  const known = Object.keys(readers);
  return (value, path) => {
    if (!isPlainObject(value))
      throw new ProfileError(path, `expects an object, and got ${describeInputValue(value)}.`);
    const read: { [key: string]: unknown } = {};
    for (const [key, part] of Object.entries(value)) {
      if (!Object.hasOwn(readers, key))
        throw new ProfileError(path, `there is no key ${quoteText(key)}. The keys are ${known.join(', ')}.`);
      if (part !== undefined) read[key] = readers[key as keyof Shape](part, [...path, key]);
    }
    // Every key has a parser, and its value is what that parser returned.
    return read as Partial<Shape>;
  };
}

/** Parses an object with all of these keys and no others. */
export function createObjectParser<Shape extends object>(
  readers: ProfileParsers<Shape>,
): ProfileParser<Shape> {
  const read = createPartialParser<Shape>(readers);
  return (value, path) => {
    const given = read(value, path);
    const missing = Object.keys(readers).find((key) => !Object.hasOwn(given, key));
    if (missing !== undefined) throw new ProfileError([...path, missing], 'it is missing. Say what it is.');
    return given as Shape;
  };
}

export function createFieldParser<Value>({
  expects,
  accepts,
}: Omit<ConfigField<Value>, 'fallback'>): ProfileParser<Value> {
  return (value, path) => {
    if (accepts(value)) return value;
    throw new ProfileError(path, `expects ${expects}, and got ${describeInputValue(value)}.`);
  };
}

export function createNullableParser<Value>(read: ProfileParser<Value>): ProfileParser<Value | null> {
  return (value, path) => (value === null ? null : read(value, path));
}

export function createListParser<Value>(
  read: ProfileParser<Value>,
  max: number,
): ProfileParser<readonly Value[]> {
  return (value, path) => {
    if (!Array.isArray(value) || value.length > max)
      throw new ProfileError(path, `expects a list of up to ${max}, and got ${describeInputValue(value)}.`);
    return value.map((item, index) => read(item, [...path, index]));
  };
}

/** Parses an object whose keys are any of these names. */
export function createRecordParser<Value>(
  names: readonly string[],
  read: ProfileParser<Value>,
): ProfileParser<{ readonly [name: string]: Value }> {
  type ByName = { readonly [name: string]: Value };
  // A present key holds the result of `read`, although the compiler treats it as possibly undefined.
  return createPartialParser(
    Object.fromEntries(names.map((name) => [name, read])) as ProfileParsers<ByName>,
  ) as ProfileParser<ByName>;
}

export function createTextParser(min: number, max: number): ProfileParser<string> {
  return createFieldParser({
    expects: `a text of ${min} to ${max} characters`,
    accepts: (value): value is string =>
      typeof value === 'string' && value.length >= min && value.length <= max && value.isWellFormed(),
  });
}
