import type { Message } from '@pawl/core';
import { turnEvents, type TurnEvent } from './turn-events.ts';

/** One way to run the turn of `turn-events.ts`. `Session` is whatever it keeps between two turns. */
export type Contender<Session = unknown> = {
  readonly name: string;
  /** The npm package it measures; null for what is written here. */
  readonly library: string | null;
  create(id: string): Session;
  /** Takes one event and hands everything that is to be done to `perform`. */
  take(session: Session, event: TurnEvent): Session;
  statusOf(session: Session): string;
  /** The conversation, oldest message first. */
  messagesOf(session: Session): readonly Message[];
};

/**
 * One turn. Events come one at a time from a caller that knows nothing of the machine, as they do in a real program: in
 * a loop of its own a small machine would be compiled into one piece with its caller, and a good part of it away.
 */
export function playTurn(contender: Contender, session: unknown): unknown {
  let current = session;
  for (const event of turnEvents) current = contender.take(current, event);
  return current;
}

/** What is to be done now; what goes with it is the machine's own affair. */
type Todo = { readonly type: string; readonly history?: unknown; readonly calls?: unknown };

/** `last` keeps what was handed over reachable, so that no compiler can leave out the making of it. */
export const outbox: { last: Todo | null; log: string[] | null } = { last: null, log: null };

/** Stands for the caller that would now ask the model, run the tools or run the hooks. */
export function perform(action: Todo): void {
  outbox.last = action;
  if (outbox.log !== null) outbox.log.push(action.type);
}
