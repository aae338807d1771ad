import { unpaused, usageOf, type Call, type Event, type Session } from '@pawl/core';
import type { SessionSummary, Store } from '@pawl/runtime';
import type { SessionRow } from '../api/index.ts';

/** What a row says that only the log tells. */
export type Facts = Pick<SessionRow, 'mode' | 'phase' | 'stop' | 'toolCalls' | 'tokens' | 'cost' | 'asks'>;

type Known = { readonly head: number; readonly facts: Facts };

/** Sessions whose facts are kept in mind. */
const knownMax = 5_000;

/** Reads what is new in a log since the last time it was asked, and no more. */
export function createFacts(store: Store): (summary: SessionSummary) => Promise<Facts> {
  const known = new Map<string, Known>();
  const reading = new Map<string, Promise<Facts>>();
  return async (summary) => {
    const { id, head, status } = summary;
    const before = known.get(id);
    if (before?.head === head) return before.facts;
    if (status === 'damaged') return noFacts;
    const key = `${head} ${id}`;
    const asked = reading.get(key) ?? read(store, summary, before);
    reading.set(key, asked);
    try {
      const facts = await asked;
      known.delete(id);
      known.set(id, { head, facts });
      const oldest = known.keys().next().value;
      if (known.size > knownMax && oldest !== undefined) known.delete(oldest);
      return facts;
    } finally {
      reading.delete(key);
    }
  };
}

export const noFacts: Facts = {
  mode: null,
  phase: null,
  stop: null,
  toolCalls: 0,
  tokens: 0,
  cost: 0,
  asks: 0,
};

async function read(store: Store, { id, head }: SessionSummary, before: Known | undefined): Promise<Facts> {
  const isOlder = before !== undefined && before.head < head;
  let sum = isOlder ? before.facts : noFacts;
  for await (const { seq, event } of store.events(id, isOlder ? before.head : 0)) {
    if (seq > head) break;
    sum = withEvent(sum, event);
  }
  const { session } = await store.open(id);
  return { ...sum, ...stateOf(session) };
}

function withEvent(sum: Facts, event: Event): Facts {
  if (event.type === 'tool-finished') return { ...sum, toolCalls: sum.toolCalls + 1 };
  const usage = usageOf(event);
  if (usage === undefined) return sum;
  const { inputTokens, outputTokens, cost = 0 } = usage;
  return { ...sum, tokens: sum.tokens + inputTokens + outputTokens, cost: sum.cost + cost };
}

function stateOf({ turn, mode, phases }: Session): Pick<Facts, 'mode' | 'phase' | 'stop' | 'asks'> {
  const { current, total } = phases;
  return {
    mode: mode?.state ?? null,
    phase: current === null ? null : { number: current.number, description: current.description, total },
    stop: turn.status === 'halted' ? { ...turn.why } : null,
    asks: openCalls(turn).length,
  };
}

/** The calls that wait for a person to decide, also while the session is paused. */
export function openCalls(turn: Session['turn']): readonly Call[] {
  const held = unpaused(turn);
  if (held.status !== 'awaitingPermission') return [];
  return held.calls.flatMap(({ decision, call }) => (decision === 'pending' ? [call] : []));
}
