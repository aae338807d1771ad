import type { Json } from '@pawl/core';
import { jsonText } from './json-text.ts';
import { StoreError } from './store-error.ts';

/** It is short, since every list reads it. */
const lengthMax = 10_000;

/** What is said about a session, as it is kept. */
export function aboutText(about: Json, where: string): string | null {
  if (about === null) return null;
  const text = jsonText(about, where);
  if (text.length <= lengthMax) return text;
  const reason = `what is said about it has ${text.length} characters; ${lengthMax} is the limit`;
  throw new StoreError('invalid', where, reason);
}

/** It only helps to find the session: if it cannot be read any more, the session still can. */
export function readAbout(text: string | null): Json {
  try {
    return text === null ? null : (JSON.parse(text) as Json);
  } catch {
    return null;
  }
}
