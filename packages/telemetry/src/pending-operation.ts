import type { ToolCall, ConversationMessage, Session, TurnState, ConversationHistory } from '@pawl/core';
import { deriveExecutionId } from '@pawl/runtime/store';

/** An operation that a session waits for; each becomes one span. `key` is unique per operation. */
export type PendingOperation = { readonly key: string; readonly since: number } & (
  | {
      readonly kind: 'model';
      readonly attempt: number;
      readonly conversation: ConversationHistory<ConversationMessage>;
    }
  | { readonly kind: 'tool' | 'permission'; readonly request: number; readonly call: ToolCall }
  | { readonly kind: 'hooks' | 'paging'; readonly attempt: number }
  | {
      readonly kind: 'retry';
      readonly of: 'model' | 'hooks' | 'paging';
      readonly attempt: number;
      readonly error: string;
    }
  | { readonly kind: 'recovery'; readonly attempt: number; readonly rule: string }
  | { readonly kind: 'pause' }
);

export type OperationKind = PendingOperation['kind'];

type UnpausedTurn = Exclude<TurnState, { readonly status: 'paused' }>;

/** Lists what a session waits for, derived from its state alone, so that it is also known right after a resume. */
export function listPendingOperations({ turn }: Session): readonly PendingOperation[] {
  if (turn.status !== 'paused') return listTurnOperations(turn);
  return [{ kind: 'pause', key: `pause ${turn.since}`, since: turn.since }, ...listTurnOperations(turn.held)];
}

/** Returns the key from which the span id is derived. */
export function getSpanKey(session: string, operation: PendingOperation): string {
  return operation.kind === 'tool'
    ? getToolSpanKey(deriveExecutionId(session, operation.request, operation.call.id))
    : operation.key;
}

/** Returns the span key of a tool call from its execution id, which is all that the tool knows. */
export function getToolSpanKey(execution: string): string {
  return `tool ${execution}`;
}

function listTurnOperations(turn: UnpausedTurn): readonly PendingOperation[] {
  const { since } = turn;
  switch (turn.status) {
    case 'callingModel': {
      const { request, retries, conversation } = turn;
      return [{ kind: 'model', key: `model ${request}`, since, attempt: retries + 1, conversation }];
    }
    case 'awaitingPermission': {
      const { request } = turn;
      return turn.calls.flatMap(({ decision, call }): readonly PendingOperation[] =>
        decision === 'pending'
          ? [{ kind: 'permission', key: `permission ${request} ${call.id}`, since, request, call }]
          : [],
      );
    }
    case 'executingTools': {
      const { request } = turn;
      return turn.executions.flatMap((each): readonly PendingOperation[] => {
        if (each.status !== 'running') return [];
        const { call, startedAt } = each;
        return [
          { kind: 'tool', key: `tool ${request} ${call.id}`, since: startedAt ?? since, request, call },
        ];
      });
    }
    case 'postToolsHook':
    case 'paging': {
      const kind = turn.status === 'paging' ? 'paging' : 'hooks';
      const attempt = turn.retries + 1;
      return [{ kind, key: `${kind} ${turn.request} ${attempt}`, since, attempt }];
    }
    case 'errorRecovery':
      return [getRecoveryOperation(turn)];
    case 'waitingForUser':
    case 'halted':
    case 'shuttingDown':
      return [];
    default:
      return turn satisfies never;
  }
}

function getRecoveryOperation(
  turn: Extract<TurnState, { readonly status: 'errorRecovery' }>,
): PendingOperation {
  const { since, request } = turn;
  switch (turn.origin) {
    case 'model': {
      const { retries: attempt, error } = turn;
      return {
        kind: 'retry',
        key: `retry ${request} ${attempt}`,
        since,
        of: 'model',
        attempt,
        error: error.kind,
      };
    }
    case 'io': {
      const { retries: attempt, work } = turn;
      return {
        kind: 'retry',
        key: `retry ${request} ${attempt}`,
        since,
        of: work.kind,
        attempt,
        error: 'io',
      };
    }
    case 'tool': {
      const { attempt, verdict } = turn;
      return { kind: 'recovery', key: `recovery ${request} ${attempt}`, since, attempt, rule: verdict.rule };
    }
    default:
      return turn satisfies never;
  }
}
