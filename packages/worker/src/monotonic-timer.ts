/** A monotonic clock with timers. Simulations provide their own. */
export type MonotonicTimer = {
  /** Milliseconds since an arbitrary origin. */
  now(): number;
  /** Calls `then` once after `ms`, unless the returned function is called first. */
  schedule(ms: number, callback: () => void): () => void;
};

export const systemTimer: MonotonicTimer = {
  now: () => performance.now(),
  schedule(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
