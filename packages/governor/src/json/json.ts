/** Any value that survives a JSON round trip unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/*
 * Helpers that read untrusted JSON values. They look only at own properties, so that a field named `constructor` or
 * `__proto__` is an ordinary field and inherited properties are ignored.
 */

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value at the end of a property path, or undefined if the path does not exist. */
export function getJsonPath(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let current = value;
  for (const name of path) {
    if (!isJsonObject(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}

/** Returns the value's `type` field, or an empty string if it has none. */
export function getTypeName(value: Json | undefined): string {
  return toOptionalString(getJsonPath(value, 'type')) ?? '';
}

export function toOptionalString(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Accepts ids written as strings or as numbers. */
export function toOptionalId(value: Json | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function toOptionalNumber(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Accepts only non-negative numbers, up to a limit that no sum of counts turns into infinity. */
export function toOptionalCount(value: Json | undefined): number | undefined {
  const number = toOptionalNumber(value);
  return number !== undefined && number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

export function toOptionalBoolean(value: Json | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

export function toOptionalList(value: Json | undefined): readonly Json[] | undefined {
  return isJsonArray(value) ? value : undefined;
}

/** Parses JSON that is stored as a string inside JSON; text that is not valid JSON is returned unchanged. */
export function parseNestedJson(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}

/** Describes the kind of a value for error messages. */
export function describeJsonKind(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (isJsonArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Why a value does not survive a JSON round trip unchanged. `value` is what JSON cannot hold. */
export type JsonProblem =
  | { readonly kind: 'type'; readonly value: unknown }
  | { readonly kind: 'depth' }
  | { readonly kind: 'size' };

/** More values than any document can contain; only a circular structure reaches this. */
const jsonValuesMax = 10_000_000;

/**
 * Returns the first problem of a value that may be nested `depthMax` levels deep, or null. Iterates level by level,
 * because recursion would let hostile nesting overflow the stack.
 */
export function findJsonProblem(value: unknown, depthMax: number): JsonProblem | null {
  let level: readonly unknown[] = [value];
  let valueCount = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    const inner: unknown[] = [];
    for (const item of level) {
      if (isJsonLeaf(item)) continue;
      if (!isJsonContainer(item)) return { kind: 'type', value: item };
      if (depth === depthMax) return { kind: 'depth' };
      for (const part of Array.isArray(item) ? item : Object.values(item)) inner.push(part);
      if (valueCount + inner.length > jsonValuesMax) return { kind: 'size' };
    }
    valueCount += inner.length;
    level = inner;
  }
  return null;
}

function isJsonLeaf(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** Whether a value is an array or a plain object, and not a date, map or other class instance. */
function isJsonContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
