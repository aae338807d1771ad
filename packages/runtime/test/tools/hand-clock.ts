import type { RuntimeClock } from '../../src/platform/clock.ts';

/** Time passes only when asked to. */
export function createHandClock(): RuntimeClock & { pass(ms: number): Promise<void> } {
  let now = 0;
  const waits: { readonly at: number; readonly wake: () => void }[] = [];
  return {
    now: () => now,
    sleepUntil: (at, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
        if (at <= now || signal.aborted) resolve();
        else waits.push({ at, wake: resolve });
      }),
    async pass(ms) {
      now += ms;
      for (const { at, wake } of waits) if (at <= now) wake();
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    },
  };
}
