import type { Json } from '@pawl/core';

/*
 * Reading JSON that a model wrote. Only a value's own fields are looked at, so that one called `constructor` or `__proto__`
 * is a field like any other.
 */

export type JsonObject = { readonly [key: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function own(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export type Fields = ReadonlyMap<string, Json>;

/** The fields of an object by their plain names; of two with the same plain name the first counts. */
export function fieldsOf(value: JsonObject): Fields {
  const fields = new Map<string, Json>();
  for (const [name, item] of Object.entries(value)) {
    const plain = plainName(name);
    if (!fields.has(plain)) fields.set(plain, item);
  }
  return fields;
}

/** `next_state`, `nextState`, `NEXT-STATE` and `Next State` are one name. */
export function plainName(name: string): string {
  return name
    .slice(0, nameMax)
    .toLowerCase()
    .replaceAll(/[_\-\s]/g, '');
}

/** The first of these fields that is there and not null. */
export function firstOf(fields: Fields, names: readonly string[]): Json | undefined {
  for (const name of names) {
    const value = fields.get(name);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** Text with something in it, trimmed; else null. */
export function textOf(value: Json | undefined): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** No name that means anything here is longer. */
const nameMax = 100;
