import { setTimeout as sleep } from 'node:timers/promises';

/** Time, as the loop sees it. A test brings its own. */
export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves at that time, or as soon as the signal is aborted. */
  until(at: number, signal: AbortSignal): Promise<void>;
};

/** Runs something under a signal that is aborted at the deadline, if there is one, or with the one given. */
export async function inTime(
  deadline: number | null,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  run: (timed: AbortSignal) => Promise<void>,
): Promise<void> {
  if (deadline === null) return run(signal);
  const late = new AbortController();
  const done = new AbortController();
  void clock.until(deadline, done.signal).then(() => late.abort());
  await run(AbortSignal.any([signal, late.signal])).finally(() => done.abort());
}

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
