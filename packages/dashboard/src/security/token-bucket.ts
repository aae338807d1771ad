export type TokenBucketOptions = {
  readonly perSecond: number;
  /** Number of requests allowed at once. */
  readonly burst: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
};

/** A token bucket: each request takes one token, and a request is rejected if none is left. */
export function createTokenBucket({ perSecond, burst, now }: TokenBucketOptions): { take(): boolean } {
  let tokens = burst;
  let refilledAt = now();
  return {
    take() {
      const elapsedMs = now() - refilledAt;
      refilledAt += elapsedMs;
      tokens = Math.min(burst, tokens + (elapsedMs / 1_000) * perSecond);
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
