import type { Json } from '@pawl/core';
import { fieldsOf, type Fields } from '../json-fields.ts';

/**
 * The body of a request. Numbers that JavaScript cannot hold are kept as they were written, so that what is sent on in a
 * changed request is otherwise the same; whoever reads one finds an object where a number would be.
 */
export function readBody(bytes: Buffer): Fields | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return fieldsOf(JSON.parse(text, asWritten) as Json);
  } catch {
    return null;
  }
}

function asWritten(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  // A decimal may be written in several ways, and only one that loses digits must not be written anew.
  return /^-?\d{16,}$/.test(source) && !Number.isSafeInteger(value) ? rawJson(source) : value;
}

/** Newer than the types of the language. */
const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (source: string) => unknown };
