import { createHash } from 'node:crypto';

/** Derives an id from the request, so that a repeated request finds the existing session. */
export function deriveStableId(...parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  // A version 8 UUID, the version reserved for custom formats.
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `a${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
