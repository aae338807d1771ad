import type { Field } from '../field.ts';

/*
 * Configuration as people write it: any key in camelCase or in snake_case, each value checked, one error that says what
 * was expected and what came.
 */

export type Fields<Config> = { readonly [Key in keyof Config]: Field<Config[Key]> };

type Snake<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Name;

/** A part of a configuration, its keys in either spelling. */
export type Given<Config> = {
  readonly [Key in keyof Config & string as Key | Snake<Key>]?: Config[Key] | undefined;
};

export function readConfig<Config extends object>(fields: Fields<Config>, given: object): Config {
  const config: Record<string, unknown> = {};
  for (const key of Object.keys(fields)) config[key] = fields[key as keyof Config].fallback;
  const spelt = new Map<string, string>();
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const key = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!Object.hasOwn(fields, key)) throw unknownKey(name, Object.keys(fields));
    const other = spelt.get(key);
    if (other !== undefined) throw new TypeError(`Tracker config: give ${other} or ${name}, not both.`);
    spelt.set(key, name);
    const field: Field<unknown> = fields[key as keyof Config];
    if (!field.accepts(value)) throw badValue(name, field.expects, value);
    config[key] = value;
  }
  // Every key is now one of the fields, with a value that its field accepts.
  return config as Config;
}

function unknownKey(name: string, known: readonly string[]): TypeError {
  return new TypeError(`Tracker config: there is no key ${name}. The keys are ${known.join(', ')}.`);
}

function badValue(name: string, expects: string, value: unknown): TypeError {
  const came = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value);
  return new TypeError(`Tracker config: ${name} expects ${expects}, and got ${came}.`);
}
