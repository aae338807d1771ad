import { conversationOf, modeSection, toArray, tokensOf, workingObject } from '@pawl/core';
import type { Action, Held, Json, Memory, Message, Mode, Phases, Session, Turn } from '@pawl/core';

/*
 * How actions and states look to a program in another language. The conversation is kept as a tree, which is of no use
 * there: an action that needs it has it as a plain list, and a state, which would repeat it every time, counts it.
 */

type Bare<State> = State extends unknown ? Omit<State, 'conversation'> : never;
type AskModel = Extract<Action, { readonly type: 'ask-model' }>;
type Paused = Extract<Turn, { readonly status: 'paused' }>;

export type PrintedAction =
  | Exclude<Action, AskModel>
  | (Bare<AskModel> & {
      readonly messages: readonly Message[];
      /** Where there are modes: the section that says where the agent is, advice included; it goes last in the prompt. */
      readonly section: string | null;
    });

type PrintedTurn = Bare<Exclude<Turn, Paused>> | (Omit<Paused, 'held'> & { readonly held: Bare<Held> });

export type PrintedState = PrintedTurn & {
  /** How many messages the conversation has. */
  readonly messages: number;
  readonly phases: Phases;
  readonly mode: Mode | null;
  readonly memory: PrintedMemory | null;
  readonly seq: number;
};

/** Working memory as a person or a model would look at it. */
export type PrintedMemory = { readonly tokens: number; readonly entries: { readonly [key: string]: Json } };

/** `session` is the one that the action came with, and `at` when. */
export function printAction(action: Action, session: Session, at: number): PrintedAction {
  if (action.type !== 'ask-model') return action;
  const { conversation, ...rest } = action;
  const { mode } = session;
  const { chart } = session.settings;
  const { advice } = action;
  const section =
    mode === null || chart === null ? null : modeSection(chart, mode, { at, advice, stuck: advice !== null });
  return { ...rest, messages: toArray(conversation), section };
}

export function printState(session: Session): PrintedState {
  const { turn, phases, mode, memory, seq } = session;
  const messages = conversationOf(session).length;
  return {
    ...printTurn(turn),
    messages,
    phases,
    mode,
    memory: memory === null ? null : printMemory(memory),
    seq,
  };
}

function printMemory(memory: Memory): PrintedMemory {
  return { tokens: tokensOf(memory), entries: workingObject(memory) };
}

function printTurn(turn: Turn): PrintedTurn {
  return turn.status === 'paused' ? { ...turn, held: bare(turn.held) } : bare(turn);
}

function bare<State extends { readonly conversation: unknown }>(state: State): Bare<State> {
  const { conversation: _, ...rest } = state;
  return rest as Bare<State>;
}
