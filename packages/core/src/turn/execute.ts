import type { Action, CompletedTool } from '../action.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import type { Event } from '../event.ts';
import type { Session } from '../session.ts';
import type { Settings } from '../settings.ts';
import { runRound } from './enter.ts';
import { move, type Step } from './move.ts';
import { runHooks } from './pending.ts';
import { checkProgress } from './progress-check.ts';
import { withResults } from './results.ts';
import type { Agenda, Execution, PostToolsHook, TurnStatus } from './state.ts';

/** One round of calls: what the model asked for in one reply. */
export type Round = {
  readonly conversation: Conversation<Message>;
  readonly request: number;
  readonly executions: readonly Execution[];
  readonly agenda: Agenda;
  readonly via?: readonly TurnStatus[];
};

/** Runs what is allowed to run. A round in which nothing is left to run is over at once. */
export function execute(session: Session, event: Event, round: Round): Step {
  if (round.executions.every((each) => each.status === 'completed')) return afterTools(session, event, round);
  return runRound(session, event, round, round);
}

/** All calls have an outcome: the results join the conversation, hooks run if something changed, then the check. */
export function afterTools(session: Session, event: Event, round: Round): Step {
  const { request, executions, agenda, via } = round;
  const conversation = withResults(round.conversation, executions, event.at);
  const next = executions.some(isFinal) ? 'end-turn' : 'ask-model';
  if (!executions.some((each) => isMutation(each, session.settings))) {
    return checkProgress(session, event, { conversation, agenda, next, via: via ?? [] });
  }
  const to: PostToolsHook = {
    status: 'postToolsHook',
    since: event.at,
    conversation,
    request,
    retries: 0,
    work: { completed: executions.map(completed), next, agenda },
  };
  const actions: readonly Action[] = [runHooks(to)];
  return move(session, event, { to, actions, via });
}

function isFinal(execution: Execution): boolean {
  return execution.status === 'completed' && execution.outcome.ok && execution.outcome.final === true;
}

function isMutation(execution: Execution, settings: Settings): boolean {
  return (
    execution.status === 'completed' &&
    execution.outcome.ok &&
    settings.mutatingTools.includes(execution.call.tool)
  );
}

function completed(execution: Execution): CompletedTool {
  const { id: callId, tool } = execution.call;
  return { callId, tool, ok: execution.status === 'completed' && execution.outcome.ok };
}
