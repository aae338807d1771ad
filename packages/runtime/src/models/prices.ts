import type { TokenUsage } from '@pawl/core';

/** Price per 1M tokens, in the currency of the budget. There are no built-in prices, because they change too often. */
export type ModelPrices = {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  /** Price of cached input; defaults to the input price. */
  readonly cachedInputPerMillion?: number;
};

/** Token counts as reported by the provider. */
export type TokenCounts = {
  readonly input: number | undefined;
  readonly cachedInput: number | undefined;
  readonly output: number | undefined;
};

/** Throws if a price is not a finite, non-negative number. */
export function validatePrices(prices: ModelPrices): ModelPrices {
  for (const [name, value] of Object.entries(prices)) {
    if (value !== undefined && !(Number.isFinite(value) && value >= 0)) {
      throw new RangeError(`The price ${name} must be a non-negative number, not ${String(value)}.`);
    }
  }
  return prices;
}

/** Computes token usage, with the cost if prices are known; null if the provider reports no usage. */
export function computeUsage(counts: TokenCounts, prices: ModelPrices | null): TokenUsage | null {
  if (counts.input === undefined && counts.output === undefined) return null;
  const inputTokens = sanitizeTokenCount(counts.input);
  const outputTokens = sanitizeTokenCount(counts.output);
  if (prices === null) return { inputTokens, outputTokens };
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion } = prices;
  const cached = Math.min(sanitizeTokenCount(counts.cachedInput), inputTokens);
  const perMillion =
    (inputTokens - cached) * inputPerMillion +
    cached * cachedInputPerMillion +
    outputTokens * outputPerMillion;
  return { inputTokens, outputTokens, cost: perMillion / 1_000_000 };
}

/** Treats invalid counts from providers as zero, so that they do not distort the budget. */
function sanitizeTokenCount(count: number | undefined): number {
  return count !== undefined && Number.isFinite(count) && count > 0 ? count : 0;
}
