import type { Json } from '@pawl/governor';

/** An external JSON object; only its own properties are read. */
export type JsonFields = { readonly [name: string]: Json };

export function toJsonFields(value: Json | undefined): JsonFields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : null;
}

export function getOwnField(fields: JsonFields, name: string): Json | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function getStringField(fields: JsonFields, name: string): string {
  const value = getOwnField(fields, name);
  return typeof value === 'string' ? value : '';
}

export function getListField(fields: JsonFields, name: string): readonly Json[] {
  const value = getOwnField(fields, name);
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** Returns an object field; an empty object if there is none. */
export function getObjectField(fields: JsonFields, name: string): JsonFields {
  return toJsonFields(getOwnField(fields, name)) ?? {};
}

export function getNumberField(fields: JsonFields, name: string): number {
  const value = getOwnField(fields, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
