/** Computes a digest of everything that happened in a run, in order, so that runs can be compared. */
export type DigestTrace = {
  add(text: string): void;
  digest(): string;
};

/** A 64-bit digest of two 32-bit lanes: fast, and large enough to distinguish runs. */
export function createDigestTrace(): DigestTrace {
  let first = 0xdeadbeef;
  let second = 0x41c6ce57;
  return {
    add(text) {
      for (let index = 0; index < text.length; index += 1) {
        const code = text.charCodeAt(index);
        first = Math.imul(first ^ code, 2654435761);
        second = Math.imul(second ^ code, 1597334677);
      }
      first = Math.imul(first ^ (first >>> 16), 2246822507);
      second = Math.imul(second ^ (second >>> 13), 3266489909);
    },
    digest: () => [first, second].map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join(''),
  };
}
