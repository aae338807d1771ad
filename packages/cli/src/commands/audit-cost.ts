import type { RecordedStep } from '@pawl/core';
import type { AuditPrices } from './audit-options.ts';
import { formatCount } from './format-number.ts';

/** The cost of a range of an agent's steps. */
export type RunCost = {
  readonly steps: number;
  readonly tokens: number;
  /** Null if the trace does not record input tokens. */
  readonly inputTokens: number | null;
  /** In the currency of the prices; null without prices. */
  readonly money: number | null;
};

/** Computes the cost of the agent's steps; user messages do not count. */
export function computeRunCost(steps: readonly RecordedStep[], prices: AuditPrices): RunCost {
  const agentSteps = steps.filter(({ role }) => role === 'assistant');
  const inputTokens = agentSteps.flatMap((step) => step.inputTokens ?? []);
  return priceSteps(
    {
      steps: agentSteps.length,
      tokens: sumNumbers(agentSteps.map(({ tokens }) => tokens ?? 0)),
      inputTokens,
    },
    prices,
  );
}

export function addRunCosts(a: RunCost, b: RunCost): RunCost {
  return {
    steps: a.steps + b.steps,
    tokens: a.tokens + b.tokens,
    inputTokens: addNullable(a.inputTokens, b.inputTokens),
    money: addNullable(a.money, b.money),
  };
}

export const zeroRunCost: RunCost = { steps: 0, tokens: 0, inputTokens: null, money: null };

type CountedSteps = {
  readonly steps: number;
  readonly tokens: number;
  /** Input tokens of the steps that record them. */
  readonly inputTokens: readonly number[];
};

function priceSteps(
  { steps, tokens, inputTokens: recorded }: CountedSteps,
  { input, output }: AuditPrices,
): RunCost {
  const inputTokens = recorded.length === 0 ? null : sumNumbers(recorded);
  const isPriced = input !== null || output !== null;
  const money = ((inputTokens ?? 0) * (input ?? 0) + tokens * (output ?? 0)) / 1_000_000;
  return { steps, tokens, inputTokens, money: isPriced ? money : null };
}

function addNullable(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : a + b;
}

function sumNumbers(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Formats steps and tokens, and the cost if there are prices. */
export function formatRunCost({ steps, tokens, money }: RunCost): string {
  const parts = [
    formatCount(steps, 'step'),
    `${formatTokenCount(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`,
  ];
  return parts.join(', ') + (money === null ? '' : ` for ${formatPlainMoney(money)}`);
}

/** Omits the currency, because it is whatever currency the prices are in. */
function formatPlainMoney(money: number): string {
  return money.toFixed(money < 1 ? 4 : 2);
}

function formatTokenCount(count: number): string {
  if (count < 10_000) return count.toLocaleString('en');
  return count < 1_000_000 ? `${(count / 1_000).toFixed(0)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
