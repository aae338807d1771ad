import type { Verdict } from '@pawl/governor';
import type { Session } from '../session.ts';

/** Budget limits; null for no limit. No approval and no mode lifts them. */
export type BudgetLimits = {
  /** Model requests, including failed ones and the last call. */
  readonly modelCalls: number | null;
  readonly toolCalls: number | null;
  /** Input and output tokens as reported by the model, including those of summaries. */
  readonly tokens: number | null;
  /** In the currency of the model's prices. */
  readonly cost: number | null;
  /** Measured from the user's last message, without time spent paused or waiting for a permission. */
  readonly wallMs: number | null;
};

/** The budget used so far. */
export type BudgetUsage = {
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly cost: number;
  /** Usage of the latest reply, which estimates the next one. */
  readonly lastTokens: number;
  readonly lastCost: number;
  /** Time of the user's last message, shifted by the time that did not count. */
  readonly workingSince: number;
  /** When the clock stopped; absent while it runs. */
  readonly waitingSince?: number;
};

/**
 * Returns which budget makes the next model call the last one, or null. The budget reserves a last answer: an ordinary
 * call is made only if the rest would still pay for another one.
 */
export function findExhaustedBudget(spent: BudgetUsage, budgets: BudgetLimits, at: number): string | null {
  const { modelCalls, toolCalls, tokens, cost, wallMs } = budgets;
  if (modelCalls !== null && spent.modelCalls + 1 >= modelCalls) return `${modelCalls} model calls`;
  if (toolCalls !== null && spent.toolCalls >= toolCalls) return `${toolCalls} tool calls`;
  if (tokens !== null && spent.tokens + 2 * spent.lastTokens > tokens) return `${tokens} tokens`;
  if (cost !== null && spent.cost + 2 * spent.lastCost > cost) return `${cost} in money`;
  if (wallMs !== null && at - spent.workingSince >= wallMs) return `${wallMs / 1_000} s`;
  return null;
}

/** Returns the verdict that makes the next model call the last one, or null if the budget pays for two calls. */
export function findLastCallVerdict(
  { budgetUsage, settings: { budgets } }: Session,
  at: number,
): Verdict | null {
  if (budgets === null) return null;
  // The model can still answer when no tool calls are left.
  const reason = findExhaustedBudget(budgetUsage, { ...budgets, toolCalls: null }, at);
  return reason === null ? null : createBudgetVerdict(reason, budgetUsage.modelCalls);
}

/** Whether the budget allows no further model call. */
export function isBudgetExhausted({ budgetUsage, settings: { budgets } }: Session): boolean {
  return budgets !== null && budgets.modelCalls !== null && budgetUsage.modelCalls >= budgets.modelCalls;
}

export function createBudgetVerdict(reason: string, seq: number): Verdict {
  return {
    severity: 'stop',
    rule: 'budget',
    reason: `the budget of ${reason} is used up`,
    advice: `The budget of ${reason} is used up. Answer now with what you have, and say what is left to do.`,
    evidence: [seq],
    response: { kind: 'stop' },
  };
}
