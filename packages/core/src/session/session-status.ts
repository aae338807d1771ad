import { iterateItems, type ConversationHistory } from '../conversation/conversation.ts';
import type { AssistantMessage, ConversationMessage, ToolOutcome } from '../conversation/message.ts';
import type { Session } from './session.ts';
import type { TurnState, TurnStatus, CallExecution } from './turn-state.ts';
import type { SessionStep } from './session-step.ts';

/** Whether the session has been stopped: it does no more work, unless {@link acceptsUserMessage} and it gets one. */
export function isTerminalSession({ turn }: Session): boolean {
  return turn.status === 'halted' || turn.status === 'shuttingDown';
}

/**
 * Whether a user message starts a turn: the session waits for one, or it was stopped by the governor, a budget or a
 * failed phase and its settings allow it to continue. A session that was halted on request accepts none.
 */
export function acceptsUserMessage({ turn, settings }: Session): boolean {
  if (turn.status === 'waitingForUser') return true;
  const isContinuable = turn.status === 'halted' && turn.haltReason.kind !== 'requested';
  return isContinuable && settings.continueAfterStop === true;
}

/** Whether nothing but a shutdown has an effect any more. */
export function isClosedSession(session: Session): boolean {
  return isTerminalSession(session) && !acceptsUserMessage(session);
}

/** Returns the turn, or the held turn if the session is paused. */
export function getUnpausedTurn(turn: TurnState): Exclude<TurnState, { readonly status: 'paused' }> {
  return turn.status === 'paused' ? turn.held : turn;
}

/** Returns the conversation of the current state; an ended session keeps its last one. */
export function getConversation({ turn }: Session): ConversationHistory<ConversationMessage> {
  return getUnpausedTurn(turn).conversation;
}

/** Whether a step accepted its event, in the same shape for every profile. */
export type StepOutcome =
  | { readonly ok: true; readonly state: TurnStatus }
  | { readonly ok: false; readonly state: TurnStatus; readonly error: string };

export function getStepOutcome({ session, notes }: SessionStep): StepOutcome {
  const state = session.turn.status;
  const refusal = notes.find((note) => note.type === 'refused');
  return refusal === undefined ? { ok: true, state } : { ok: false, state, error: refusal.reason };
}

/**
 * Drops state that only ephemeral events set: whether text is streaming, and a tool's reported progress. Two sessions
 * that differ in nothing else have the same log.
 */
export function toDurableSession(session: Session): Session {
  return { ...session, turn: toDurableTurn(session.turn) };
}

function toDurableTurn<State extends TurnState>(turn: State): State {
  switch (turn.status) {
    case 'callingModel':
      return { ...turn, streaming: false };
    case 'executingTools':
      return { ...turn, executions: turn.executions.map(toDurableExecution) };
    case 'paused':
      return { ...turn, held: toDurableTurn(turn.held) };
    default:
      return turn;
  }
}

function toDurableExecution(execution: CallExecution): CallExecution {
  if (execution.status !== 'running') return execution;
  return execution.startedAt === null
    ? { status: 'pending', call: execution.call }
    : { ...execution, progress: null };
}

/**
 * Returns the answer of the last turn: the output of a finishing tool or the assistant's last text; null if there is
 * neither.
 */
export function findTurnAnswer(conversation: ConversationHistory<ConversationMessage>): string | null {
  let answer: string | null = null;
  for (const message of iterateItems(conversation)) {
    if (message.role === 'user') answer = null;
    if (isAnswerMessage(message)) answer = message.text;
    if (message.role === 'tool') answer = findToolAnswer(message.outcome) ?? answer;
  }
  return answer;
}

function isAnswerMessage(message: ConversationMessage): message is AssistantMessage {
  return (
    message.role === 'assistant' &&
    message.text.trim() !== '' &&
    message.calls.length === 0 &&
    message.isInterrupted !== true
  );
}

/** Returns the answer in the result of a finishing tool, or null. */
export function findToolAnswer(outcome: ToolOutcome): string | null {
  if (!outcome.ok || outcome.final !== true) return null;
  const { output } = outcome;
  if (typeof output === 'string') return output;
  const answer = output !== null && typeof output === 'object' && 'answer' in output ? output.answer : null;
  return typeof answer === 'string' ? answer : JSON.stringify(output);
}
