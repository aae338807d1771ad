import type { Session } from '@pawl/core';
import {
  addEventTotals,
  countTotalTokens,
  emptyTotals,
  listPendingApprovals,
  type SessionTotals,
} from '@pawl/core/projections';
import type { SessionSummary, Store } from '@pawl/runtime/store';
import type { SessionListItem } from '../api/index.ts';

/** The columns of a row that only the log can provide. */
export type SessionFacts = Pick<
  SessionListItem,
  'mode' | 'phase' | 'stop' | 'toolCalls' | 'tokens' | 'cost' | 'asks'
>;

type CachedFacts = { readonly head: number; readonly totals: SessionTotals; readonly facts: SessionFacts };

/** Maximum number of sessions whose facts are cached. */
const cachedFactsMax = 5_000;

/** Caches facts per session and reads only the events that were added since the last call. */
export function createFactsReader(store: Store): (summary: SessionSummary) => Promise<SessionFacts> {
  const cache = new Map<string, CachedFacts>();
  const pendingReads = new Map<string, Promise<CachedFacts>>();
  return async (summary) => {
    const { id, head, status } = summary;
    const cached = cache.get(id);
    if (cached?.head === head) return cached.facts;
    if (status === 'damaged') return emptyFacts;
    const key = `${head} ${id}`;
    const pending = pendingReads.get(key) ?? readFacts(store, summary, cached);
    pendingReads.set(key, pending);
    try {
      const read = await pending;
      cache.delete(id);
      cache.set(id, read);
      const oldest = cache.keys().next().value;
      if (cache.size > cachedFactsMax && oldest !== undefined) cache.delete(oldest);
      return read.facts;
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
): Promise<CachedFacts> {
  const isOlder = cached !== undefined && cached.head < head;
  let totals = isOlder ? cached.totals : emptyTotals;
  for await (const { seq, event } of store.events(id, isOlder ? cached.head : 0)) {
    if (seq > head) break;
    totals = addEventTotals(totals, event);
  }
  const { session } = await store.open(id);
  const { toolCalls, cost } = totals;
  const facts = {
    toolCalls,
    tokens: countTotalTokens(totals),
    cost: cost ?? 0,
    ...readStateFacts(session),
  };
  return { head, totals, facts };
}

function readStateFacts(session: Session): Pick<SessionFacts, 'mode' | 'phase' | 'stop' | 'asks'> {
  const { turn, mode, phases } = session;
  const { current, total } = phases;
  return {
    mode: mode?.state ?? null,
    phase: current === null ? null : { number: current.number, description: current.description, total },
    stop: turn.status === 'halted' ? { ...turn.haltReason } : null,
    asks: listPendingApprovals(session).length,
  };
}
