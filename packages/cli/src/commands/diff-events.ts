import { isDeepStrictEqual } from 'node:util';
import type { Event } from '@pawl/core';
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
  const [plainLeft, plainRight] = [plainer(), plainer()];
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

/**
 * What an event says, apart from when: two runs that do the same differ in times, in the dice of their retries, and in the
 * ids that a provider gives to calls. A call is known by its number in the log instead.
 */
function plainer(): (event: Event) => unknown {
  const numbers = new Map<string, number>();
  let count = 0;
  return (event) => {
    const { at: _, ...rest } = event;
    if (event.type === 'model-replied') {
      const calls = event.calls.map(({ id, ...call }) => {
        count += 1;
        if (id !== undefined) numbers.set(id, count);
        return call;
      });
      return { ...rest, calls };
    }
    const { jitter: __, ...said } = { jitter: 0, ...rest };
    return 'callId' in event ? { ...said, callId: numbers.get(event.callId) ?? event.callId } : said;
  };
}
