/** A median with its spread: the least and the greatest sample. */
export type Summary = { readonly median: number; readonly min: number; readonly max: number };

export function summarise(samples: readonly number[]): Summary {
  return { median: median(samples), min: Math.min(...samples), max: Math.max(...samples) };
}

export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * Each sample over the base's sample of the same round. What slows the machine down for a while slows both, so ratios
 * within a round are far steadier than the ratio of two medians.
 */
export function pairedRatios(samples: readonly number[], base: readonly number[]): readonly number[] {
  return samples.map((sample, round) => sample / (base[round] ?? Number.NaN));
}
