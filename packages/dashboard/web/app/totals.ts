import { usageOf, type Event } from '@pawl/core';

/** What a session has taken, counted from its events: the machine itself counts only where there are budgets. */
export type Totals = {
  /** Replies of the model. */
  readonly replies: number;
  /** Calls that ended. */
  readonly calls: number;
  readonly tokens: number;
  readonly cost: number;
};

export const nothingYet: Totals = { replies: 0, calls: 0, tokens: 0, cost: 0 };

export function addTo(before: Totals, event: Event): Totals {
  if (event.type === 'tool-finished') return { ...before, calls: before.calls + 1 };
  if (event.type !== 'model-replied' && event.type !== 'paging-finished') return before;
  const { inputTokens = 0, outputTokens = 0, cost = 0 } = usageOf(event) ?? {};
  return {
    ...before,
    replies: before.replies + (event.type === 'model-replied' ? 1 : 0),
    tokens: before.tokens + inputTokens + outputTokens,
    cost: before.cost + cost,
  };
}
