import { isDeepStrictEqual } from 'node:util';
import { createEventNormalizer } from '@pawl/core';
import type { StoredEvent } from '@pawl/runtime';

/** Where two logs diverge: the number of common events, and the next event of each log, if any. */
export type LogDivergence = {
  readonly common: number;
  readonly a: StoredEvent | null;
  readonly b: StoredEvent | null;
};

/** Compares two logs event by event, up to the first events that differ. */
export async function findLogDivergence(
  a: AsyncIterable<StoredEvent>,
  b: AsyncIterable<StoredEvent>,
): Promise<LogDivergence> {
  const left = a[Symbol.asyncIterator]();
  const right = b[Symbol.asyncIterator]();
  const [normalizeLeft, normalizeRight] = [createEventNormalizer(), createEventNormalizer()];
  let common = 0;
  try {
    for (;;) {
      const [leftNext, rightNext] = [await left.next(), await right.next()];
      const leftEvent = leftNext.done === true ? null : leftNext.value;
      const rightEvent = rightNext.done === true ? null : rightNext.value;
      const divergence = { common, a: leftEvent, b: rightEvent };
      if (leftEvent === null || rightEvent === null) return divergence;
      if (!isDeepStrictEqual(normalizeLeft(leftEvent.event), normalizeRight(rightEvent.event)))
        return divergence;
      common += 1;
    }
  } finally {
    await left.return?.();
    await right.return?.();
  }
}
