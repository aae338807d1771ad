import type { AskModelAction, PausedTurn } from '@pawl/core/turn';
import {
  getConversation,
  toItemArray,
  type Action,
  type ConversationMessage,
  type Json,
  type PausableTurn,
  type Session,
  type TurnState,
} from '@pawl/core';
import { countMemoryTokens, toMemoryObject, type WorkingMemory } from '@pawl/core/memory';
import { renderModeSection, type CurrentMode } from '@pawl/core/modes';
import type { PhaseState } from '@pawl/core/phases';

/*
 * The external form of actions and states, for programs in other languages. The conversation is stored as a tree, which
 * is not usable there: an action that needs it contains it as a plain list, and a state, which would repeat it every
 * time, contains only its length.
 */

type WithoutConversation<State> = State extends unknown ? Omit<State, 'conversation'> : never;

export type PrintedAction =
  | Exclude<Action, AskModelAction>
  | (WithoutConversation<AskModelAction> & {
      readonly messages: readonly ConversationMessage[];
      /** With modes: the prompt section about the current mode, including advice; it goes last in the prompt. */
      readonly section: string | null;
    });

type PrintedTurn =
  | WithoutConversation<Exclude<TurnState, PausedTurn>>
  | (Omit<PausedTurn, 'held'> & { readonly held: WithoutConversation<PausableTurn> });

export type PrintedState = PrintedTurn & {
  /** Number of messages in the conversation. */
  readonly messages: number;
  readonly phases: PhaseState;
  readonly mode: CurrentMode | null;
  readonly memory: PrintedMemory | null;
  readonly seq: number;
};

/** Working memory in its external form. */
export type PrintedMemory = { readonly tokens: number; readonly entries: { readonly [key: string]: Json } };

/** `session` is the one that emitted the action, at time `at`. */
export function printAction(action: Action, session: Session, at: number): PrintedAction {
  if (action.type !== 'ask-model') return action;
  const { conversation, ...rest } = action;
  const { mode } = session;
  const { chart } = session.settings;
  const { advice } = action;
  const section =
    mode === null || chart === null
      ? null
      : renderModeSection(chart, mode, { at, advice, stuck: advice !== null });
  return { ...rest, messages: toItemArray(conversation), section };
}

export function printState(session: Session): PrintedState {
  const { turn, phases, mode, memory, seq } = session;
  const messages = getConversation(session).length;
  return {
    ...printTurn(turn),
    messages,
    phases,
    mode,
    memory: memory === null ? null : printMemory(memory),
    seq,
  };
}

function printMemory(memory: WorkingMemory): PrintedMemory {
  return { tokens: countMemoryTokens(memory), entries: toMemoryObject(memory) };
}

function printTurn(turn: TurnState): PrintedTurn {
  return turn.status === 'paused' ? { ...turn, held: omitConversation(turn.held) } : omitConversation(turn);
}

function omitConversation<State extends { readonly conversation: unknown }>(
  state: State,
): WithoutConversation<State> {
  const { conversation: _, ...rest } = state;
  return rest as WithoutConversation<State>;
}
