import { conversationOf, toArray } from '@pawl/core';
import type { Action, Held, Message, Phases, Session, Turn } from '@pawl/core';

/*
 * How actions and states look to a program in another language. The conversation is kept as a tree, which is of no use
 * there: an action that needs it has it as a plain list, and a state, which would repeat it every time, counts it.
 */

type Bare<State> = State extends unknown ? Omit<State, 'conversation'> : never;
type AskModel = Extract<Action, { readonly type: 'ask-model' }>;
type Paused = Extract<Turn, { readonly status: 'paused' }>;

export type PrintedAction =
  | Exclude<Action, AskModel>
  | (Bare<AskModel> & { readonly messages: readonly Message[] });

type PrintedTurn = Bare<Exclude<Turn, Paused>> | (Omit<Paused, 'held'> & { readonly held: Bare<Held> });

export type PrintedState = PrintedTurn & {
  /** How many messages the conversation has. */
  readonly messages: number;
  readonly phases: Phases;
  readonly seq: number;
};

export function printAction(action: Action): PrintedAction {
  if (action.type !== 'ask-model') return action;
  const { conversation, ...rest } = action;
  return { ...rest, messages: toArray(conversation) };
}

export function printState(session: Session): PrintedState {
  const { turn, phases, seq } = session;
  return { ...printTurn(turn), messages: conversationOf(session).length, phases, seq };
}

function printTurn(turn: Turn): PrintedTurn {
  return turn.status === 'paused' ? { ...turn, held: bare(turn.held) } : bare(turn);
}

function bare<State extends { readonly conversation: unknown }>(state: State): Bare<State> {
  const { conversation: _, ...rest } = state;
  return rest as Bare<State>;
}
