import type { Json } from '@pawl/core';
import { fieldsOf, type Fields } from '../json-fields.ts';

/** The body of a request; null for what is no JSON object. */
export function readBody(bytes: Buffer): Fields | null {
  return parsed(bytes);
}

/**
 * The body with a change made to it. Numbers that JavaScript cannot hold stay as they were written, so that all that is not
 * changed is the same. Reading that closely takes its time, so it is done for requests that are changed and no others.
 */
export function changedBody(bytes: Buffer, change: (body: Fields) => Fields): Buffer {
  return Buffer.from(JSON.stringify(change(parsed(bytes, asWritten) ?? {})));
}

function parsed(bytes: Buffer, reviver?: Reviver): Fields | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return fieldsOf(JSON.parse(text, reviver) as Json);
  } catch {
    return null;
  }
}

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

function asWritten(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  // A decimal may be written in several ways, and only one that loses digits must not be written anew.
  return /^-?\d{16,}$/.test(source) && !Number.isSafeInteger(value) ? rawJson(source) : value;
}

/** Newer than the types of the language. */
const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (source: string) => unknown };
