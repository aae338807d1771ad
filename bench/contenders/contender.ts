import type { ConversationMessage } from '@pawl/core';
import { turnEvents, type TurnEvent } from './turn-events.ts';

/** One implementation of the turn in `turn-events.ts`. `Session` is its state between turns. */
export type TurnContender<Session = unknown> = {
  readonly name: string;
  /** The npm package it measures; null for code in this repository. */
  readonly library: string | null;
  create(id: string): Session;
  /** Handles one event and passes every resulting action to `performAction`. */
  handleEvent(session: Session, event: TurnEvent): Session;
  getStatus(session: Session): string;
  /** The conversation, oldest message first. */
  getMessages(session: Session): readonly ConversationMessage[];
};

/**
 * Plays one turn. Events come one at a time from a caller that does not know the machine, as in a real program;
 * otherwise the engine would inline a small machine into its caller and optimize much of it away.
 */
export function playTurn(contender: TurnContender, session: unknown): unknown {
  let current = session;
  for (const event of turnEvents) current = contender.handleEvent(current, event);
  return current;
}

/** An action to perform; its payload is specific to the contender. */
type ContenderAction = { readonly type: string; readonly history?: unknown; readonly calls?: unknown };

/** `last` keeps the action reachable, so that the compiler cannot eliminate its creation. */
export const actionOutbox: { last: ContenderAction | null; log: string[] | null } = { last: null, log: null };

/** Stands in for the caller that would call the model, run the tools or run the hooks. */
export function performAction(action: ContenderAction): void {
  actionOutbox.last = action;
  if (actionOutbox.log !== null) actionOutbox.log.push(action.type);
}
