import { removeHostText } from '@pawl/governor';
import { getEventUsage, type Event, type TokenUsage } from '../session/event.ts';

/** What a session has used and changed, counted from its events. */
export type SessionTotals = {
  readonly events: number;
  /** The time of the last event; null if there is none. */
  readonly lastAt: number | null;
  /** The first message of a person. */
  readonly goal: string | null;
  /** Model replies; `modelFailures` counts requests without a reply. */
  readonly replies: number;
  readonly modelFailures: number;
  readonly toolCalls: number;
  /** Including the tokens of summaries. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null if nothing reported a cost. */
  readonly cost: number | null;
  /** Paths of the files that tools reported as changed, in the order of their first change. */
  readonly files: readonly string[];
};

export const emptyTotals: SessionTotals = {
  events: 0,
  lastAt: null,
  goal: null,
  replies: 0,
  modelFailures: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: null,
  files: [],
};

/** Returns the totals after one more event. */
export function addEventTotals(totals: SessionTotals, event: Event): SessionTotals {
  const usage = getEventUsage(event);
  const { events, replies, modelFailures, toolCalls } = totals;
  return {
    events: events + 1,
    lastAt: event.at,
    goal: totals.goal ?? getGoalText(event),
    replies: event.type === 'model-replied' ? replies + 1 : replies,
    modelFailures: event.type === 'model-failed' ? modelFailures + 1 : modelFailures,
    toolCalls: event.type === 'tool-finished' ? toolCalls + 1 : toolCalls,
    inputTokens: totals.inputTokens + toUsageCount(usage?.inputTokens),
    outputTokens: totals.outputTokens + toUsageCount(usage?.outputTokens),
    cost: addCost(totals.cost, usage),
    files: addFiles(totals.files, event),
  };
}

/** Returns what the user wrote in a message, which can be a session's goal; null for automatic messages. */
export function getGoalText(event: Event): string | null {
  const isUserMessage =
    event.type === 'steered' || (event.type === 'user-message' && event.automatic !== true);
  if (!isUserMessage) return null;
  const written = removeHostText(event.text);
  return written === '' ? null : written;
}

/** Counts input and output tokens together. */
export function countTotalTokens({
  inputTokens,
  outputTokens,
}: Pick<SessionTotals, 'inputTokens' | 'outputTokens'>): number {
  return inputTokens + outputTokens;
}

/** Providers may report invalid counts. */
function toUsageCount(count: number | undefined): number {
  return count !== undefined && Number.isFinite(count) && count > 0 ? count : 0;
}

function addCost(cost: number | null, usage: TokenUsage | undefined): number | null {
  return usage?.cost === undefined ? cost : (cost ?? 0) + toUsageCount(usage.cost);
}

function addFiles(files: readonly string[], event: Event): readonly string[] {
  if (event.type !== 'tool-finished' || event.files === undefined) return files;
  const added = event.files.map(({ path }) => path).filter((path) => !files.includes(path));
  return added.length === 0 ? files : [...files, ...new Set(added)];
}
