import type { Action } from '../session/action.ts';
import type {
  CompletedTool,
  TurnAgenda,
  CallExecution,
  PostToolsHook,
  TurnStatus,
} from '../session/turn-state.ts';
import type { ConversationHistory } from '../conversation/conversation.ts';
import type { ConversationMessage } from '../conversation/message.ts';
import type { Event } from '../session/event.ts';
import type { Session } from '../session/session.ts';
import type { SessionSettings } from '../session/settings.ts';
import { runRound } from './enter-state.ts';
import { transitionTurn } from './transition-turn.ts';
import type { SessionStep } from '../session/session-step.ts';
import { createRunHooksAction } from './pending-actions.ts';
import { checkProgress } from './progress-check.ts';
import { appendResults } from './calls.ts';

/** One tool round: the calls of one model reply. */
export type ToolRound = {
  readonly conversation: ConversationHistory<ConversationMessage>;
  readonly request: number;
  readonly executions: readonly CallExecution[];
  readonly agenda: TurnAgenda;
  readonly via?: readonly TurnStatus[];
};

/** Executes the allowed calls. A round with no call left to run finishes immediately. */
export function executeRound(session: Session, event: Event, round: ToolRound): SessionStep {
  if (round.executions.every((each) => each.status === 'completed'))
    return finishToolRound(session, event, round);
  return runRound(session, event, round, round);
}

/**
 * Finishes a round in which every call has an outcome: appends the results, runs hooks if something changed, then
 * checks progress.
 */
export function finishToolRound(session: Session, event: Event, round: ToolRound): SessionStep {
  const { request, executions, agenda, via } = round;
  const conversation = appendResults(round.conversation, executions, event.at);
  const next = executions.some(isFinalExecution) ? 'end-turn' : 'ask-model';
  if (!executions.some((each) => isMutatingExecution(each, session.settings))) {
    return checkProgress(session, event, { conversation, agenda, next, via: via ?? [] });
  }
  const to: PostToolsHook = {
    status: 'postToolsHook',
    since: event.at,
    conversation,
    request,
    retries: 0,
    work: { completed: executions.map(toCompletedTool), next, agenda },
  };
  const actions: readonly Action[] = [createRunHooksAction(to)];
  return transitionTurn(session, event, { to, actions, via });
}

function isFinalExecution(execution: CallExecution): boolean {
  return execution.status === 'completed' && execution.outcome.ok && execution.outcome.final === true;
}

function isMutatingExecution(execution: CallExecution, settings: SessionSettings): boolean {
  return (
    execution.status === 'completed' &&
    execution.outcome.ok &&
    settings.mutatingTools.includes(execution.call.tool)
  );
}

function toCompletedTool(execution: CallExecution): CompletedTool {
  const { id: callId, tool } = execution.call;
  return { callId, tool, ok: execution.status === 'completed' && execution.outcome.ok };
}
