import type { Json } from '@pawl/core';
import { jsonText } from './json-text.ts';
import { StoreError } from './store-error.ts';

/** It is read with every list. */
const lengthMax = 10_000;

/** How what is said about a session is kept. */
export function aboutText(about: Json, where: string): string | null {
  if (about === null) return null;
  const text = jsonText(about, where);
  if (text.length <= lengthMax) return text;
  const reason = `what is said about it has ${text.length} characters, and ${lengthMax} are the most`;
  throw new StoreError('invalid', where, reason);
}

/** It is only for finding the session: that it cannot be read any more keeps nobody from the session. */
export function readAbout(text: string | null): Json {
  try {
    return text === null ? null : (JSON.parse(text) as Json);
  } catch {
    return null;
  }
}
