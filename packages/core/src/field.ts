/* What a key of a configuration may be; for everything that is read from what people write. */

/** A key of a configuration: what it is when nobody says, and what it may be. */
export type Field<Value> = {
  readonly fallback: Value;
  readonly expects: string;
  readonly accepts: (value: unknown) => value is Value;
};

export function wholeNumber(fallback: number, min: number, max = 10_000): Field<number> {
  return {
    fallback,
    expects: `a whole number from ${min} to ${max}`,
    accepts: (value): value is number =>
      typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max,
  };
}

export function flag(fallback: boolean): Field<boolean> {
  return {
    fallback,
    expects: 'true or false',
    accepts: (value): value is boolean => typeof value === 'boolean',
  };
}

export function names(fallback: readonly string[]): Field<readonly string[]> {
  return {
    fallback,
    expects: 'a list of names',
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== ''),
  };
}

export function oneOf<Name extends string>(fallback: Name, choices: readonly Name[]): Field<Name> {
  return {
    fallback,
    expects: `one of ${choices.join(', ')}`,
    accepts: (value): value is Name => choices.some((choice) => choice === value),
  };
}

/** How long anything that is configured may take at most is counted in days. */
export const dayMs = 86_400_000;

/** Whether a value from outside is an object, and no list. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
