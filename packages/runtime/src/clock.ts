import { setTimeout as sleep } from 'node:timers/promises';

/** Time, as the loop sees it. A test brings its own. */
export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves at that time, or as soon as the signal is aborted. */
  until(at: number, signal: AbortSignal): Promise<void>;
};

/** Node's timers take no longer wait than this; a longer one is waited for in pieces. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  async until(at, signal) {
    while (!signal.aborted && Date.now() < at) {
      const ms = Math.min(at - Date.now(), longestTimerMs);
      await sleep(Math.max(ms, 0), undefined, { signal }).catch(() => undefined);
    }
  },
};
