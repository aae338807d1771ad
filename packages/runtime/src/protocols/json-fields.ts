import { isJsonObject } from '@pawl/governor/json';
import type { Json, JsonObject } from '@pawl/core';

/*
 * Helpers for JSON written by a model. They read only own properties, so that `constructor` or `__proto__` is a field
 * like any other.
 */

export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function getOwnJsonField(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export type JsonFieldMap = ReadonlyMap<string, Json>;

/** Maps an object's fields by normalized name; the first of two equal names wins. */
export function toFieldMap(value: JsonObject): JsonFieldMap {
  const fields = new Map<string, Json>();
  for (const [name, item] of Object.entries(value)) {
    const normalized = normalizeFieldName(name);
    if (!fields.has(normalized)) fields.set(normalized, item);
  }
  return fields;
}

/** `next_state`, `nextState`, `NEXT-STATE` and `Next State` normalize to one name. */
export function normalizeFieldName(name: string): string {
  return name
    .slice(0, jsonFieldNameMax)
    .toLowerCase()
    .replaceAll(/[_\-\s]/g, '');
}

/** Returns the first of these fields that is present and not null. */
export function findFirstField(fields: JsonFieldMap, names: readonly string[]): Json | undefined {
  for (const name of names) {
    const value = fields.get(name);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** Returns a trimmed non-empty text, or null. */
export function toNonEmptyText(value: Json | undefined): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** No known field name is longer. */
const jsonFieldNameMax = 100;
