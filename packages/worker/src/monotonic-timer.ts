/** A monotonic clock with timers. Simulations provide their own. */
export type MonotonicTimer = {
  /** Milliseconds since an arbitrary origin. */
  now(): number;
  /** Calls `then` once after `ms`, unless the returned function is called first. */
  schedule(ms: number, then: () => void): () => void;
};

export const systemTimer: MonotonicTimer = {
  now: () => performance.now(),
  schedule(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};
