import { randomUUID } from 'node:crypto';
import {
  createSession,
  isTerminal,
  step,
  taken,
  type Event,
  type Json,
  type Session,
  type Verdict,
} from '@pawl/core';
import { thisProcess, type Position, type Store } from '@pawl/runtime';
import type { Fields } from '../json-fields.ts';
import { fingerprint, turnsIn, type Turn } from './turns.ts';
import type { TokenUsage } from './wire.ts';

/**
 * A conversation as a session in the store, so that it can be looked at like any other. It is an account of what came by: the
 * judgements in it are those of the proxy, and nothing in it asks anybody to do anything.
 */
export type Recording = {
  /** The messages that are in the record, by fingerprint. */
  readonly known: readonly string[];
  /** What is kept; null before anything is, and after it could not be. */
  readonly kept: { readonly session: Session; readonly position: Position } | null;
};

export type Account = {
  readonly messages: readonly Fields[];
  readonly usages: ReadonlyMap<string, TokenUsage>;
  /** What the governor found in the last round of them. */
  readonly verdict: Verdict | null;
  readonly at: number;
};

export const unrecorded: Recording = { known: [], kept: null };

/** The record with what is new in the messages. One that they do not continue is left as it is, and a new one begun. */
export async function record(
  store: Store,
  before: Recording,
  { messages, usages, verdict, at }: Account,
  about: Json,
): Promise<Recording> {
  const marks = messages.map(fingerprint);
  const from = newFrom(before.known, marks);
  const fresh = messages.slice(from);
  if (fresh.length === 0) return before;
  const kept = from === 0 || isOver(before) ? null : before.kept;
  const session = kept?.session ?? newSession(at);
  const { events, after } = tell(session, { messages: fresh, usages, verdict, at });
  if (events.length === 0) return { known: marks, kept };
  const position = kept?.position ?? (await store.create(session, thisProcess(), { about, createdAt: at }));
  const next = await store.append(session.id, position, events, after);
  return { known: marks, kept: { session: after, position: next } };
}

/**
 * From where on the messages are new: after those that are known, or, where some of those were rewritten meanwhile, after the
 * last of them. Nought for another conversation.
 */
function newFrom(known: readonly string[], marks: readonly string[]): number {
  if (known.every((mark, index) => mark === marks[index])) return known.length;
  const last = known.at(-1);
  return last === undefined ? 0 : marks.lastIndexOf(last) + 1;
}

function isOver({ kept }: Recording): boolean {
  return kept !== null && isTerminal(kept.session);
}

/** The proxy judges, and nobody carries out what a session asks for. */
function newSession(at: number): Session {
  return createSession({
    id: randomUUID(),
    at,
    settings: {
      governor: { preset: 'none', rules: {} },
      mutatingTools: [],
      finishMs: null,
      pageOnOverflow: false,
    },
  });
}

function tell(
  begun: Session,
  { messages, usages, verdict, at }: Account,
): { events: Event[]; after: Session } {
  const events: Event[] = [];
  let after = begun;
  const take = (event: Event): void => {
    const stepped = step(after, event);
    if (!taken(stepped).ok) return;
    after = stepped.session;
    events.push(event);
  };
  const all = messages.flatMap((message) => {
    const usage = usages.get(fingerprint(message));
    return turnsIn(message).map((turn) => ({ turn, usage }));
  });
  const last = all.findLastIndex(({ turn }) => turn.kind === 'result');
  for (const [index, { turn, usage }] of all.entries()) {
    // What a round came to is judged while it still has its last result to come.
    if (verdict !== null && index === last) take({ type: 'verdict-reached', at, verdict });
    for (const event of eventsOf(after, turn, usage, at)) take(event);
  }
  return { events, after };
}

function* eventsOf(
  session: Session,
  turn: Turn,
  usage: TokenUsage | undefined,
  at: number,
): Generator<Event> {
  const { status } = session.turn;
  if (turn.kind === 'result') {
    const { id, output, failed } = turn;
    const message = typeof output === 'string' ? output : JSON.stringify(output);
    yield {
      type: 'tool-finished',
      at,
      callId: id,
      outcome: failed ? { ok: false, error: { kind: 'failed', message } } : { ok: true, output },
    };
    return;
  }
  if (status === 'executingTools') yield* calledOff(session, at);
  if (turn.kind === 'said') {
    yield status === 'waitingForUser'
      ? { type: 'user-message', at, text: turn.text }
      : { type: 'steered', at, text: turn.text };
    return;
  }
  if (status === 'waitingForUser') yield { type: 'user-message', at, text: '', automatic: true };
  yield {
    type: 'model-replied',
    at,
    text: turn.text,
    calls: turn.calls.map(({ id, ...call }) => (id === '' ? call : { id, ...call })),
    ...(usage !== undefined && {
      usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens },
    }),
  };
}

/** Calls that the conversation has gone on without. */
function* calledOff({ turn }: Session, at: number): Generator<Event> {
  if (turn.status !== 'executingTools') return;
  for (const { status, call } of turn.executions) {
    if (status === 'completed') continue;
    const error = { kind: 'cancelled', message: 'No result of this call was ever told.' } as const;
    yield { type: 'tool-finished', at, callId: call.id, outcome: { ok: false, error } };
  }
}
