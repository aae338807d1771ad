import type { Action } from '../action.ts';
import type { Session } from '../session.ts';
import { justWait } from './move.ts';
import type { CallingModel, ErrorRecovery, ExecutingTools, Paging, PostToolsHook, Turn } from './state.ts';
import type { AwaitingPermission } from './state.ts';

/**
 * What the caller must do now, told from the state alone: after a restart, after a pause, or when an action was lost.
 * An action whose `request` is already under way need not be begun again.
 */
export function pendingActions(session: Session): readonly Action[] {
  return pendingIn(session.turn);
}

export function pendingIn(turn: Turn): readonly Action[] {
  switch (turn.status) {
    case 'waitingForUser':
    case 'paused':
      return justWait;
    case 'callingModel':
      return [askModel(turn)];
    case 'awaitingPermission':
      return [askPermission(turn)];
    case 'executingTools':
      return runTools(turn);
    case 'postToolsHook':
      return [runHooks(turn)];
    case 'errorRecovery':
      return [recoverOrWait(turn)];
    case 'paging':
      return [pageMemory(turn)];
    case 'halted':
      return [{ type: 'stop', why: turn.why }];
    case 'shuttingDown':
      return [{ type: 'shut-down' }];
    default:
      return turn satisfies never;
  }
}

export function askModel({ request, retries, conversation, ask }: CallingModel): Action {
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

export function askPermission({ request, calls }: AwaitingPermission): Action {
  const open = calls.filter((each) => each.decision === 'pending').map((each) => each.call);
  return { type: 'ask-permission', request, calls: open };
}

/** The calls not begun yet; those that run are under way and only waited for. */
export function runTools({ request, executions }: ExecutingTools): readonly Action[] {
  const calls = executions.filter((each) => each.status === 'pending').map((each) => each.call);
  return calls.length === 0 ? justWait : [{ type: 'run-tools', request, calls }];
}

export function runHooks({ request, work }: PostToolsHook): Action {
  return { type: 'run-hooks', request, completed: work.completed };
}

export function pageMemory({ request, work }: Paging): Action {
  return { type: 'page-memory', request, reason: work.reason };
}

export function recoverOrWait(turn: ErrorRecovery): Action {
  return turn.origin === 'tool'
    ? { type: 'recover', request: turn.request, attempt: turn.attempt, verdict: turn.verdict }
    : { type: 'wait', until: turn.retryAt };
}
