import type { Json } from '@pawl/core';
import { serializeJson } from './json-text.ts';
import { StoreError } from './store-error.ts';

/** Limited because every session list reads it. */
const metadataLengthMax = 10_000;

/** Serializes a session's metadata for storage. */
export function serializeMetadata(metadata: Json, where: string): string | null {
  if (metadata === null) return null;
  const text = serializeJson(metadata, where);
  if (text.length <= metadataLengthMax) return text;
  const reason = `its metadata has ${text.length} characters; the limit is ${metadataLengthMax}`;
  throw new StoreError('invalid', where, reason);
}

/** Returns null for unreadable metadata, because the session itself is still usable. */
export function parseMetadata(text: string | null): Json {
  try {
    return text === null ? null : (JSON.parse(text) as Json);
  } catch {
    return null;
  }
}
