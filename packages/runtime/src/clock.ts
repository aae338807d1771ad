import { setTimeout as sleep } from 'node:timers/promises';

/** Time, as the loop sees it. A test brings its own. */
export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves at that time, or as soon as the signal is aborted. */
  until(at: number, signal: AbortSignal): Promise<void>;
};

/** Runs something under a signal that is aborted when the given one is, or at the deadline if there is one. */
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

/** Node's timers cannot wait longer than this; a longer wait is made of several. */
const longestTimerMs = 2 ** 31 - 1;

/** How long to wait is fixed at the start: setting the clock meanwhile makes no wait longer or shorter. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async until(at, signal) {
    const end = performance.now() + at - Date.now();
    for (let ms = end - performance.now(); ms > 0 && !signal.aborted; ms = end - performance.now()) {
      await sleep(Math.min(ms, longestTimerMs), undefined, { signal }).catch(() => undefined);
    }
  },
};
