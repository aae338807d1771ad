export type BucketOptions = {
  readonly perSecond: number;
  /** How many may come at once. */
  readonly burst: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
};

/** A bucket that fills up again: one drop for each request, and none is let through when it is empty. */
export function createBucket({ perSecond, burst, now }: BucketOptions): { take(): boolean } {
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
