import type { Json } from '@pawl/core';

/** A JSON object from outside: only what it has itself is looked at. */
export type Fields = { readonly [name: string]: Json };

export function fieldsOf(value: Json | undefined): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

export function own(fields: Fields, name: string): Json | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function textIn(fields: Fields, name: string): string {
  const value = own(fields, name);
  return typeof value === 'string' ? value : '';
}

export function listIn(fields: Fields, name: string): readonly Json[] {
  const value = own(fields, name);
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** An object in a field; one without fields where there is none. */
export function fieldsIn(fields: Fields, name: string): Fields {
  return fieldsOf(own(fields, name)) ?? {};
}

export function numberIn(fields: Fields, name: string): number {
  const value = own(fields, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
