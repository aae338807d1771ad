import type { BudgetLimits } from '@pawl/core';
import { fillMissingBudgets } from '@pawl/runtime/agent-setup';
import { UsageError } from '../usage-error.ts';
import { parseWholeNumberOption, parseDecimalOption } from './number-options.ts';

/** Budget limits as given on the command line. */
export type BudgetFlags = {
  readonly maxSteps?: string;
  readonly maxToolCalls?: string;
  readonly maxTokens?: string;
  readonly maxCost?: string;
  readonly maxSeconds?: string;
};

/** Parses the budget limits of the command line; null if there are none. */
export function parseBudgetFlags(options: BudgetFlags): BudgetLimits | null {
  const seconds = parseWholeLimit('--max-seconds', options.maxSeconds);
  const budgets: BudgetLimits = {
    modelCalls: parseWholeLimit('--max-steps', options.maxSteps),
    toolCalls: parseWholeLimit('--max-tool-calls', options.maxToolCalls),
    tokens: parseWholeLimit('--max-tokens', options.maxTokens),
    cost: parseCostLimit('--max-cost', options.maxCost),
    wallMs: seconds === null ? null : seconds * 1_000,
  };
  return fillMissingBudgets(budgets, null);
}

function parseWholeLimit(option: string, value: string | undefined): number | null {
  return value === undefined ? null : parseWholeNumberOption(option, value, 1);
}

function parseCostLimit(option: string, value: string | undefined): number | null {
  if (value === undefined) return null;
  const amount = parseDecimalOption(option, value);
  if (amount > 0) return amount;
  throw new UsageError(`${option} must be a number greater than 0, got ${JSON.stringify(value)}.`);
}
