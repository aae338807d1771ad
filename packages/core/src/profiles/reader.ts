import { quoted } from '../modes/chart-error.ts';
import { shown } from '../modes/fields.ts';
import { isObject, type Field } from '../field.ts';
import { ProfileError, type ProfilePath } from './profile-error.ts';

/** Makes something of a value that came from outside, or throws a `ProfileError` that says where it is wrong. */
export type Reader<Value> = (value: unknown, path: ProfilePath) => Value;

export type Readers<Shape> = { readonly [Key in keyof Shape]-?: Reader<Exclude<Shape[Key], undefined>> };

/** An object with some of these keys and no others. What is left out stays out, so that it can come from elsewhere. */
export function some<Shape extends object>(readers: Readers<Shape>): Reader<Partial<Shape>> {
  const known = Object.keys(readers);
  return (value, path) => {
    if (!isObject(value)) throw new ProfileError(path, `expects an object, and got ${shown(value)}.`);
    const read: { [key: string]: unknown } = {};
    for (const [key, part] of Object.entries(value)) {
      if (!Object.hasOwn(readers, key))
        throw new ProfileError(path, `there is no key ${quoted(key)}. The keys are ${known.join(', ')}.`);
      if (part !== undefined) read[key] = readers[key as keyof Shape](part, [...path, key]);
    }
    // Every key is one of the readers', with a value that its reader has made.
    return read as Partial<Shape>;
  };
}

/** An object with all of these keys and no others. */
export function all<Shape extends object>(readers: Readers<Shape>): Reader<Shape> {
  const read = some<Shape>(readers);
  return (value, path) => {
    const given = read(value, path);
    const missing = Object.keys(readers).find((key) => !Object.hasOwn(given, key));
    if (missing !== undefined) throw new ProfileError([...path, missing], 'it is missing. Say what it is.');
    return given as Shape;
  };
}

export function one<Value>({ expects, accepts }: Omit<Field<Value>, 'fallback'>): Reader<Value> {
  return (value, path) => {
    if (accepts(value)) return value;
    throw new ProfileError(path, `expects ${expects}, and got ${shown(value)}.`);
  };
}

export function orNull<Value>(read: Reader<Value>): Reader<Value | null> {
  return (value, path) => (value === null ? null : read(value, path));
}

export function list<Value>(read: Reader<Value>, max: number): Reader<readonly Value[]> {
  return (value, path) => {
    if (!Array.isArray(value) || value.length > max)
      throw new ProfileError(path, `expects a list of up to ${max}, and got ${shown(value)}.`);
    return value.map((item, index) => read(item, [...path, index]));
  };
}

/** An object whose keys are any of these names. */
export function byName<Value>(
  names: readonly string[],
  read: Reader<Value>,
): Reader<{ readonly [name: string]: Value }> {
  type ByName = { readonly [name: string]: Value };
  // A key that is there has what `read` made of it, whatever the compiler thinks of keys that may be missing.
  return some(Object.fromEntries(names.map((name) => [name, read])) as Readers<ByName>) as Reader<ByName>;
}

export function text(min: number, max: number): Reader<string> {
  return one({
    expects: `a text of ${min} to ${max} characters`,
    accepts: (value): value is string =>
      typeof value === 'string' && value.length >= min && value.length <= max && value.isWellFormed(),
  });
}
