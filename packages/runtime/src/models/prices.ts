import type { Usage } from '@pawl/core';

/** What a model costs for a million tokens, in whatever money the budget is in. None are built in: they change too often. */
export type Prices = {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  /** For what the provider had in its cache; as other input where it is left out. */
  readonly cachedInputPerMillion?: number;
};

/** What a provider says a reply took. */
export type TokenCounts = {
  readonly input: number | undefined;
  readonly cachedInput: number | undefined;
  readonly output: number | undefined;
};

/** Throws when a price is not a number from zero up. */
export function checkPrices(prices: Prices): Prices {
  for (const [name, value] of Object.entries(prices)) {
    if (value !== undefined && !(Number.isFinite(value) && value >= 0)) {
      throw new RangeError(`The price ${name} is to be a number from 0 up, not ${String(value)}.`);
    }
  }
  return prices;
}

/** What a reply took, and what it cost if the prices are known; null when the provider does not say. */
export function usageOf(counts: TokenCounts, prices: Prices | null): Usage | null {
  if (counts.input === undefined && counts.output === undefined) return null;
  const inputTokens = countOf(counts.input);
  const outputTokens = countOf(counts.output);
  if (prices === null) return { inputTokens, outputTokens };
  const { inputPerMillion, outputPerMillion, cachedInputPerMillion = inputPerMillion } = prices;
  const cached = Math.min(countOf(counts.cachedInput), inputTokens);
  const perMillion =
    (inputTokens - cached) * inputPerMillion +
    cached * cachedInputPerMillion +
    outputTokens * outputPerMillion;
  return { inputTokens, outputTokens, cost: perMillion / 1_000_000 };
}

/** Some providers report nonsense; a budget must not grow by it. */
function countOf(count: number | undefined): number {
  return count !== undefined && Number.isFinite(count) && count > 0 ? count : 0;
}
