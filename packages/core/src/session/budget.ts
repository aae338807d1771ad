import type { Verdict } from '@pawl/governor';
import type { BudgetUsage, Session } from './session.ts';
import type { BudgetLimits } from './settings.ts';

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
