import { setTimeout as sleep } from 'node:timers/promises';

/** Time source of the agent loop; tests provide their own. */
export type RuntimeClock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves at the given time, or as soon as the signal is aborted. */
  sleepUntil(at: number, signal: AbortSignal): Promise<void>;
};

/** Runs a function with a signal that is aborted with the given one, or at the deadline if there is one. */
export async function runWithDeadline(
  deadline: number | null,
  { clock, signal }: { readonly clock: RuntimeClock; readonly signal: AbortSignal },
  run: (timedSignal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (deadline === null) return run(signal);
  const expired = new AbortController();
  const done = new AbortController();
  void clock.sleepUntil(deadline, done.signal).then(() => expired.abort());
  await run(AbortSignal.any([signal, expired.signal])).finally(() => done.abort());
}

/** Maximum delay of Node's timers; longer waits are split. */
const longestTimerMs = 2 ** 31 - 1;

/** Waits use the monotonic clock, so that changing the system time does not lengthen or shorten them. */
export const systemClock: RuntimeClock = {
  now: () => Date.now(),
  async sleepUntil(at, signal) {
    const end = performance.now() + at - Date.now();
    for (let ms = end - performance.now(); ms > 0 && !signal.aborted; ms = end - performance.now()) {
      await sleep(Math.min(ms, longestTimerMs), undefined, { signal }).catch(() => undefined);
    }
  },
};
