import { getUnpausedTurn, getEventUsage, type ToolCall, type Event, type Session } from '@pawl/core';
import type { SessionSummary, Store } from '@pawl/runtime';
import type { SessionListItem } from '../api/index.ts';

/** The columns of a row that only the log can provide. */
export type SessionFacts = Pick<
  SessionListItem,
  'mode' | 'phase' | 'stop' | 'toolCalls' | 'tokens' | 'cost' | 'asks'
>;

type CachedFacts = { readonly head: number; readonly facts: SessionFacts };

/** Maximum number of sessions whose facts are cached. */
const cachedFactsMax = 5_000;

/** Caches facts per session and reads only the events that were added since the last call. */
export function createFactsReader(store: Store): (summary: SessionSummary) => Promise<SessionFacts> {
  const known = new Map<string, CachedFacts>();
  const reading = new Map<string, Promise<SessionFacts>>();
  return async (summary) => {
    const { id, head, status } = summary;
    const before = known.get(id);
    if (before?.head === head) return before.facts;
    if (status === 'damaged') return emptyFacts;
    const key = `${head} ${id}`;
    const asked = reading.get(key) ?? readFacts(store, summary, before);
    reading.set(key, asked);
    try {
      const facts = await asked;
      known.delete(id);
      known.set(id, { head, facts });
      const oldest = known.keys().next().value;
      if (known.size > cachedFactsMax && oldest !== undefined) known.delete(oldest);
      return facts;
    } finally {
      reading.delete(key);
    }
  };
}

export const emptyFacts: SessionFacts = {
  mode: null,
  phase: null,
  stop: null,
  toolCalls: 0,
  tokens: 0,
  cost: 0,
  asks: 0,
};

async function readFacts(
  store: Store,
  { id, head }: SessionSummary,
  before: CachedFacts | undefined,
): Promise<SessionFacts> {
  const isOlder = before !== undefined && before.head < head;
  let sum = isOlder ? before.facts : emptyFacts;
  for await (const { seq, event } of store.events(id, isOlder ? before.head : 0)) {
    if (seq > head) break;
    sum = addEventToFacts(sum, event);
  }
  const { session } = await store.open(id);
  return { ...sum, ...readStateFacts(session) };
}

function addEventToFacts(sum: SessionFacts, event: Event): SessionFacts {
  if (event.type === 'tool-finished') return { ...sum, toolCalls: sum.toolCalls + 1 };
  const usage = getEventUsage(event);
  if (usage === undefined) return sum;
  const { inputTokens, outputTokens, cost = 0 } = usage;
  return { ...sum, tokens: sum.tokens + inputTokens + outputTokens, cost: sum.cost + cost };
}

function readStateFacts({
  turn,
  mode,
  phases,
}: Session): Pick<SessionFacts, 'mode' | 'phase' | 'stop' | 'asks'> {
  const { current, total } = phases;
  return {
    mode: mode?.state ?? null,
    phase: current === null ? null : { number: current.number, description: current.description, total },
    stop: turn.status === 'halted' ? { ...turn.why } : null,
    asks: listPendingApprovals(turn).length,
  };
}

/** Lists the tool calls that wait for approval, also while the session is paused. */
export function listPendingApprovals(turn: Session['turn']): readonly ToolCall[] {
  const held = getUnpausedTurn(turn);
  if (held.status !== 'awaitingPermission') return [];
  return held.calls.flatMap(({ decision, call }) => (decision === 'pending' ? [call] : []));
}
