import { isDeepStrictEqual } from 'node:util';
import { plainEvents } from '@pawl/core';
import type { KeptEvent } from '@pawl/runtime';

/** Where two logs part: how many events they have in common, and the next of each, if there is one. */
export type Parting = {
  readonly common: number;
  readonly a: KeptEvent | null;
  readonly b: KeptEvent | null;
};

/** Goes through two logs side by side, up to the first events that say something else. */
export async function partingOf(a: AsyncIterable<KeptEvent>, b: AsyncIterable<KeptEvent>): Promise<Parting> {
  const left = a[Symbol.asyncIterator]();
  const right = b[Symbol.asyncIterator]();
  const [plainLeft, plainRight] = [plainEvents(), plainEvents()];
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
