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

/*
 * User-written configuration: keys in camelCase or snake_case, each value validated, with one error that says what was
 * expected and what was found.
 */

export type TrackerConfigFields<Config> = { readonly [Key in keyof Config]: ConfigField<Config[Key]> };

type SnakeCase<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : Name;

/** A partial configuration, with keys in either spelling. */
export type TrackerConfigInput<Config> = {
  readonly [Key in keyof Config & string as Key | SnakeCase<Key>]?: Config[Key] | undefined;
};

export function parseTrackerConfig<Config extends object>(
  fields: TrackerConfigFields<Config>,
  given: object,
): Config {
  const config: Record<string, unknown> = {};
  for (const key of Object.keys(fields)) config[key] = fields[key as keyof Config].fallback;
  const spellings = new Map<string, string>();
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const key = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!Object.hasOwn(fields, key)) throw createUnknownKeyError(name, Object.keys(fields));
    const other = spellings.get(key);
    if (other !== undefined) throw new TypeError(`Tracker config: give ${other} or ${name}, not both.`);
    spellings.set(key, name);
    const field: ConfigField<unknown> = fields[key as keyof Config];
    if (!field.accepts(value)) throw createBadValueError(name, field.expects, value);
    config[key] = value;
  }
  // Every key is now one of the fields, with a value that its field accepts.
  return config as Config;
}

function createUnknownKeyError(name: string, known: readonly string[]): TypeError {
  return new TypeError(`Tracker config: there is no key ${name}. The keys are ${known.join(', ')}.`);
}

function createBadValueError(name: string, expects: string, value: unknown): TypeError {
  const received = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value);
  return new TypeError(`Tracker config: ${name} expects ${expects}, and got ${received}.`);
}
