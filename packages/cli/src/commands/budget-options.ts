import type { Budgets } from '@pawl/core';
import { UsageError } from '../usage-error.ts';
import { wholeNumber, decimalNumber } from './option-number.ts';

/** The limits as they stand on the command line. */
export type BudgetFlags = {
  readonly maxSteps?: string;
  readonly maxToolCalls?: string;
  readonly maxTokens?: string;
  readonly maxCost?: string;
  readonly maxSeconds?: string;
};

/** The limits asked for on the command line; null when there are none. */
export function budgetsOf(options: BudgetFlags): Budgets | null {
  const seconds = whole('--max-seconds', options.maxSeconds);
  const budgets: Budgets = {
    modelCalls: whole('--max-steps', options.maxSteps),
    toolCalls: whole('--max-tool-calls', options.maxToolCalls),
    tokens: whole('--max-tokens', options.maxTokens),
    cost: money('--max-cost', options.maxCost),
    wallMs: seconds === null ? null : seconds * 1_000,
  };
  return filledUp(budgets, null);
}

const limits = [
  'modelCalls',
  'toolCalls',
  'tokens',
  'cost',
  'wallMs',
] as const satisfies readonly (keyof Budgets)[];

/** What the command line asks for, filled up with what others say. */
export function filledUp(asked: Budgets | null, others: Partial<Budgets> | null | undefined): Budgets | null {
  const entries = limits.map((name) => [name, asked?.[name] ?? others?.[name] ?? null]);
  if (entries.every(([, limit]) => limit === null)) return null;
  return Object.fromEntries(entries) as Budgets;
}

function whole(option: string, given: string | undefined): number | null {
  return given === undefined ? null : wholeNumber(option, given, 1);
}

function money(option: string, given: string | undefined): number | null {
  if (given === undefined) return null;
  const amount = decimalNumber(option, given);
  if (amount > 0) return amount;
  throw new UsageError(`${option} takes a number above 0, and got ${JSON.stringify(given)}.`);
}
