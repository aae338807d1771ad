export type TokenBucketOptions = {
  readonly perSecond: number;
  /** Number of requests allowed at once. */
  readonly burst: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
};

/** A token bucket: each request takes one token, and a request is rejected if none is left. */
export function createTokenBucket({ perSecond, burst, now }: TokenBucketOptions): { take(): boolean } {
  let drops = burst;
  let at = now();
  return {
    take() {
      const since = now() - at;
      at += since;
      drops = Math.min(burst, drops + (since / 1_000) * perSecond);
      if (drops < 1) return false;
      drops -= 1;
      return true;
    },
  };
}
