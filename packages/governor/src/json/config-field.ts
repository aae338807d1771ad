/* Field definitions for user-written configuration. */

/** A configuration field: its default value and its validation. */
export type ConfigField<Value> = {
  readonly fallback: Value;
  readonly expects: string;
  readonly accepts: (value: unknown) => value is Value;
};

export function createIntegerField(fallback: number, min: number, max = 10_000): ConfigField<number> {
  return {
    fallback,
    expects: `a whole number from ${min} to ${max}`,
    accepts: (value): value is number =>
      typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max,
  };
}

export function createBooleanField(fallback: boolean): ConfigField<boolean> {
  return {
    fallback,
    expects: 'true or false',
    accepts: (value): value is boolean => typeof value === 'boolean',
  };
}

export function createNameListField(fallback: readonly string[]): ConfigField<readonly string[]> {
  return {
    fallback,
    expects: 'a list of names',
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== ''),
  };
}

export function createChoiceField<Name extends string>(
  fallback: Name,
  choices: readonly Name[],
): ConfigField<Name> {
  return {
    fallback,
    expects: `one of ${choices.join(', ')}`,
    accepts: (value): value is Name => choices.some((choice) => choice === value),
  };
}

/** Upper limits of configured durations are expressed in days. */
export const dayMilliseconds = 86_400_000;

/** Whether an untrusted value is an object and not an array. */
export function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
