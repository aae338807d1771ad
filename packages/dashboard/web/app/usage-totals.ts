import { getEventUsage, type Event } from '@pawl/core';

/** Usage of a session, summed from its events, because the state machine counts usage only if there are budgets. */
export type UsageTotals = {
  /** Model replies. */
  readonly replies: number;
  /** Finished tool calls. */
  readonly calls: number;
  readonly tokens: number;
  readonly cost: number;
};

export const emptyUsageTotals: UsageTotals = { replies: 0, calls: 0, tokens: 0, cost: 0 };

export function addUsageTotals(before: UsageTotals, event: Event): UsageTotals {
  if (event.type === 'tool-finished') return { ...before, calls: before.calls + 1 };
  if (event.type !== 'model-replied' && event.type !== 'paging-finished') return before;
  const { inputTokens = 0, outputTokens = 0, cost = 0 } = getEventUsage(event) ?? {};
  return {
    ...before,
    replies: before.replies + (event.type === 'model-replied' ? 1 : 0),
    tokens: before.tokens + inputTokens + outputTokens,
    cost: before.cost + cost,
  };
}
