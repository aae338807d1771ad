import { getUnpausedTurn, getEventUsage, type ToolCall, type Event, type Session } from '@pawl/core';
import type { SessionSummary, Store } from '@pawl/runtime/store';
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
  const cache = new Map<string, CachedFacts>();
  const pendingReads = new Map<string, Promise<SessionFacts>>();
  return async (summary) => {
    const { id, head, status } = summary;
    const cached = cache.get(id);
    if (cached?.head === head) return cached.facts;
    if (status === 'damaged') return emptyFacts;
    const key = `${head} ${id}`;
    const pending = pendingReads.get(key) ?? readFacts(store, summary, cached);
    pendingReads.set(key, pending);
    try {
      const facts = await pending;
      cache.delete(id);
      cache.set(id, { head, facts });
      const oldest = cache.keys().next().value;
      if (cache.size > cachedFactsMax && oldest !== undefined) cache.delete(oldest);
      return facts;
    } finally {
      pendingReads.delete(key);
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
  cached: CachedFacts | undefined,
): Promise<SessionFacts> {
  const isOlder = cached !== undefined && cached.head < head;
  let facts = isOlder ? cached.facts : emptyFacts;
  for await (const { seq, event } of store.events(id, isOlder ? cached.head : 0)) {
    if (seq > head) break;
    facts = addEventToFacts(facts, event);
  }
  const { session } = await store.open(id);
  return { ...facts, ...readStateFacts(session) };
}

function addEventToFacts(facts: SessionFacts, event: Event): SessionFacts {
  if (event.type === 'tool-finished') return { ...facts, toolCalls: facts.toolCalls + 1 };
  const usage = getEventUsage(event);
  if (usage === undefined) return facts;
  const { inputTokens, outputTokens, cost = 0 } = usage;
  return { ...facts, tokens: facts.tokens + inputTokens + outputTokens, cost: facts.cost + cost };
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
  const activeTurn = getUnpausedTurn(turn);
  if (activeTurn.status !== 'awaitingPermission') return [];
  return activeTurn.calls.flatMap(({ decision, call }) => (decision === 'pending' ? [call] : []));
}
