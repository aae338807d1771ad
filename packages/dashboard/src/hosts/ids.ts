import { createHash } from 'node:crypto';

/** An id that follows from what was asked for: whoever asks again finds what is there already. */
export function idFor(...parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  // A UUID of version 8, which is for names made like this one.
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `a${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
