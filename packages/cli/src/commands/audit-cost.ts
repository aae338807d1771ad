import type { RecordedStep } from '@pawl/core';
import type { Prices } from './audit-options.ts';
import { counted } from './number-text.ts';

/** What some steps of an agent cost. */
export type Cost = {
  readonly steps: number;
  readonly tokens: number;
  /** Null where the trace does not say how much the model was given to read. */
  readonly inputTokens: number | null;
  /** In the currency of the prices; null without any. */
  readonly money: number | null;
};

/** What the user says is not the agent's work. */
export function costOf(steps: readonly RecordedStep[], prices: Prices): Cost {
  const work = steps.filter(({ role }) => role === 'assistant');
  const given = work.flatMap(({ inputTokens }) => inputTokens ?? []);
  return priced({ steps: work.length, tokens: sum(work.map(({ tokens }) => tokens ?? 0)), given }, prices);
}

export function addCosts(a: Cost, b: Cost): Cost {
  return {
    steps: a.steps + b.steps,
    tokens: a.tokens + b.tokens,
    inputTokens: either(a.inputTokens, b.inputTokens),
    money: either(a.money, b.money),
  };
}

export const noCost: Cost = { steps: 0, tokens: 0, inputTokens: null, money: null };

type Counted = { readonly steps: number; readonly tokens: number; readonly given: readonly number[] };

function priced({ steps, tokens, given }: Counted, { input, output }: Prices): Cost {
  const inputTokens = given.length === 0 ? null : sum(given);
  const isPriced = input !== null || output !== null;
  const money = ((inputTokens ?? 0) * (input ?? 0) + tokens * (output ?? 0)) / 1_000_000;
  return { steps, tokens, inputTokens, money: isPriced ? money : null };
}

function either(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : a + b;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Steps, tokens, and money where there are prices. */
export function costText({ steps, tokens, money }: Cost): string {
  const parts = [counted(steps, 'step'), `${short(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`];
  return parts.join(', ') + (money === null ? '' : ` for ${moneyText(money)}`);
}

/** Without a currency: it is the one of the prices, whichever that is. */
function moneyText(money: number): string {
  return money.toFixed(money < 1 ? 4 : 2);
}

function short(count: number): string {
  if (count < 10_000) return count.toLocaleString('en');
  return count < 1_000_000 ? `${(count / 1_000).toFixed(0)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
