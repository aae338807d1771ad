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
  const [plainLeft, plainRight] = [createEventNormalizer(), createEventNormalizer()];
  let common = 0;
  try {
    for (;;) {
      const [one, other] = [await left.next(), await right.next()];
      const [mine, yours] = [one.done === true ? null : one.value, other.done === true ? null : other.value];
      if (mine === null || yours === null) return { common, a: mine, b: yours };
      if (!isDeepStrictEqual(plainLeft(mine.event), plainRight(yours.event)))
        return { common, a: mine, b: yours };
      common += 1;
    }
  } finally {
    await left.return?.();
    await right.return?.();
  }
}
