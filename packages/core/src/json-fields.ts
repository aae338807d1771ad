import type { Json } from './json.ts';

/*
 * Reading values that came from outside and may be anything. Only a value's own fields are looked at: one that is called
 * `constructor` or `__proto__` is a field like any other, and what an object inherits is no part of it.
 */

export type JsonObject = { readonly [key: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at the end of a path of names, or nothing when the path breaks off. */
export function get(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found = value;
  for (const name of path) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/** What it calls its type; empty when it does not say. */
export function typeOf(value: Json | undefined): string {
  return stringOf(get(value, 'type')) ?? '';
}

export function stringOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Ids are written as strings or as numbers. */
export function idOf(value: Json | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A number of things, of which there cannot be less than none. */
export function countOf(value: Json | undefined): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number >= 0 ? number : undefined;
}

export function booleanOf(value: Json | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

export function listOf(value: Json | undefined): readonly Json[] | undefined {
  return isList(value) ? value : undefined;
}

/** Some keep JSON as text inside of JSON. What cannot be read as JSON stays the text it is. */
export function unpacked(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}

/** What a value is, for telling someone that another was expected. */
export function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (isList(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
