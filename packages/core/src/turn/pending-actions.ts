import { waitActions, type Action } from '../session/action.ts';
import type { Session } from '../session/session.ts';
import type {
  CallingModel,
  ErrorRecovery,
  ExecutingTools,
  PagingTurn,
  PostToolsHook,
  TurnState,
} from '../session/turn-state.ts';
import type { AwaitingPermission } from '../session/turn-state.ts';

/**
 * Derives the actions the caller must perform from the state alone: after a restart, after a pause, or when an action
 * was lost. An action whose `request` is already in progress need not be started again.
 */
export function listPendingActions(session: Session): readonly Action[] {
  return listTurnActions(session.turn);
}

export function listTurnActions(turn: TurnState): readonly Action[] {
  switch (turn.status) {
    case 'waitingForUser':
    case 'paused':
      return waitActions;
    case 'callingModel':
      return [createAskModelAction(turn)];
    case 'awaitingPermission':
      return [createAskPermissionAction(turn)];
    case 'executingTools':
      return createRunToolsActions(turn);
    case 'postToolsHook':
      return [createRunHooksAction(turn)];
    case 'errorRecovery':
      return [createRecoveryAction(turn)];
    case 'paging':
      return [createPageMemoryAction(turn)];
    case 'halted':
      return [{ type: 'stop', haltReason: turn.haltReason }];
    case 'shuttingDown':
      return [{ type: 'shut-down' }];
    default:
      return turn satisfies never;
  }
}

export function createAskModelAction({ request, retries, conversation, ask }: CallingModel): Action {
  return {
    type: 'ask-model',
    request,
    attempt: retries + 1,
    conversation,
    tools: ask.finish === null,
    advice: ask.advice,
    deadline: ask.finish?.deadline ?? null,
  };
}

export function createAskPermissionAction({ request, calls }: AwaitingPermission): Action {
  const undecided = calls.filter((each) => each.decision === 'pending').map((each) => each.call);
  return { type: 'ask-permission', request, calls: undecided };
}

/** Returns the calls that have not started; running calls need no action. */
export function createRunToolsActions({ request, executions }: ExecutingTools): readonly Action[] {
  const calls = executions.filter((each) => each.status === 'pending').map((each) => each.call);
  return calls.length === 0 ? waitActions : [{ type: 'run-tools', request, calls }];
}

export function createRunHooksAction({ request, work }: PostToolsHook): Action {
  return { type: 'run-hooks', request, completed: work.completed };
}

export function createPageMemoryAction({ request, work }: PagingTurn): Action {
  return { type: 'page-memory', request, reason: work.reason };
}

export function createRecoveryAction(turn: ErrorRecovery): Action {
  return turn.origin === 'tool'
    ? { type: 'recover', request: turn.request, attempt: turn.attempt, verdict: turn.verdict }
    : { type: 'wait', until: turn.retryAt };
}
