/** A median with the smallest and the largest sample. */
export type SampleSummary = { readonly median: number; readonly min: number; readonly max: number };

export function summarizeSamples(samples: readonly number[]): SampleSummary {
  return { median: computeMedian(samples), min: Math.min(...samples), max: Math.max(...samples) };
}

export function computeMedian(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * Divides each sample by the baseline's sample of the same round. Temporary slowdowns of the machine affect both, so
 * these ratios are far more stable than the ratio of two medians.
 */
export function computePairedRatios(samples: readonly number[], base: readonly number[]): readonly number[] {
  return samples.map((sample, round) => sample / (base[round] ?? Number.NaN));
}
