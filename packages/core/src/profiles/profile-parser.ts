import { isPlainObject, type ConfigField } from '@pawl/governor/json';
import { formatChartPath, type ChartPath, quoteText, describeInputValue } from '../modes/define-chart.ts';

/** A location in a profile, as in a chart. */
export type ProfilePath = ChartPath;

/** An invalid profile. The message is one line: where, what was expected, and what was found. */
export class ProfileError extends TypeError {
  override readonly name = 'ProfileError';
  readonly path: ProfilePath;

  constructor(path: ProfilePath, problem: string) {
    super(`${path.length === 0 ? 'The profile' : `The profile, at ${formatChartPath(path)}`}: ${problem}`);
    this.path = path;
  }
}

/** Parses an untrusted value, or throws a `ProfileError` that says what is wrong and where. */
export type ProfileParser<Value> = (value: unknown, path: ProfilePath) => Value;

export type ProfileParsers<Shape> = {
  readonly [Key in keyof Shape]-?: ProfileParser<Exclude<Shape[Key], undefined>>;
};

/** Parses an object with some of these keys and no others. Omitted keys stay absent, so that they can be inherited. */
export function createPartialParser<Shape extends object>(
  parsers: ProfileParsers<Shape>,
): ProfileParser<Partial<Shape>> {
  const known = Object.keys(parsers);
  return (value, path) => {
    if (!isPlainObject(value))
      throw new ProfileError(path, `expects an object, and got ${describeInputValue(value)}.`);
    const parsed: { [key: string]: unknown } = {};
    for (const [key, input] of Object.entries(value)) {
      if (!Object.hasOwn(parsers, key))
        throw new ProfileError(path, `there is no key ${quoteText(key)}. The keys are ${known.join(', ')}.`);
      if (input !== undefined) parsed[key] = parsers[key as keyof Shape](input, [...path, key]);
    }
    // Every key has a parser, and its value is what that parser returned.
    return parsed as Partial<Shape>;
  };
}

/** Parses an object with all of these keys and no others. */
export function createObjectParser<Shape extends object>(
  parsers: ProfileParsers<Shape>,
): ProfileParser<Shape> {
  const parsePartial = createPartialParser<Shape>(parsers);
  return (value, path) => {
    const parsed = parsePartial(value, path);
    const missing = Object.keys(parsers).find((key) => !Object.hasOwn(parsed, key));
    if (missing !== undefined) throw new ProfileError([...path, missing], 'a value is required.');
    return parsed as Shape;
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

export function createNullableParser<Value>(parse: ProfileParser<Value>): ProfileParser<Value | null> {
  return (value, path) => (value === null ? null : parse(value, path));
}

export function createListParser<Value>(
  parse: ProfileParser<Value>,
  max: number,
): ProfileParser<readonly Value[]> {
  return (value, path) => {
    if (!Array.isArray(value) || value.length > max)
      throw new ProfileError(
        path,
        `expects a list of up to ${max} items, and got ${describeInputValue(value)}.`,
      );
    return value.map((item, index) => parse(item, [...path, index]));
  };
}

/** Parses an object whose keys are any of these names. */
export function createRecordParser<Value>(
  names: readonly string[],
  parse: ProfileParser<Value>,
): ProfileParser<{ readonly [name: string]: Value }> {
  type ByName = { readonly [name: string]: Value };
  // A present key holds the result of `read`, although the compiler treats it as possibly undefined.
  return createPartialParser(
    Object.fromEntries(names.map((name) => [name, parse])) as ProfileParsers<ByName>,
  ) as ProfileParser<ByName>;
}

export function createTextParser(min: number, max: number): ProfileParser<string> {
  return createFieldParser({
    expects: `text of ${min} to ${max} characters`,
    accepts: (value): value is string =>
      typeof value === 'string' && value.length >= min && value.length <= max && value.isWellFormed(),
  });
}
