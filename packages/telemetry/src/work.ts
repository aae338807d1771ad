import type { Call, Conversation, Message, Session, Turn } from '@pawl/core';
import { executionId } from '@pawl/runtime';

/** A piece of work that a session waits for; each becomes one span. `key` is the same only for the very same piece. */
export type Work = { readonly key: string; readonly since: number } & (
  | { readonly kind: 'model'; readonly attempt: number; readonly conversation: Conversation<Message> }
  | { readonly kind: 'tool' | 'permission'; readonly request: number; readonly call: Call }
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

export type WorkKind = Work['kind'];

type Held = Exclude<Turn, { readonly status: 'paused' }>;

/** What a session waits for, told from its state alone: so it is known also to whoever has only just taken it up. */
export function workIn({ turn }: Session): readonly Work[] {
  if (turn.status !== 'paused') return workOf(turn);
  return [{ kind: 'pause', key: `pause ${turn.since}`, since: turn.since }, ...workOf(turn.held)];
}

/** What the id of its span is made from. */
export function spanKeyOf(session: string, work: Work): string {
  return work.kind === 'tool' ? toolKey(executionId(session, work.request, work.call.id)) : work.key;
}

/** The same for a call, from what the tool is told of its run: it knows nothing else. */
export function toolKey(execution: string): string {
  return `tool ${execution}`;
}

function workOf(turn: Held): readonly Work[] {
  const { since } = turn;
  switch (turn.status) {
    case 'callingModel': {
      const { request, retries, conversation } = turn;
      return [{ kind: 'model', key: `model ${request}`, since, attempt: retries + 1, conversation }];
    }
    case 'awaitingPermission': {
      const { request } = turn;
      return turn.calls.flatMap(({ decision, call }): readonly Work[] =>
        decision === 'pending'
          ? [{ kind: 'permission', key: `permission ${request} ${call.id}`, since, request, call }]
          : [],
      );
    }
    case 'executingTools': {
      const { request } = turn;
      return turn.executions.flatMap((each): readonly Work[] => {
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
      return [recoveryIn(turn)];
    case 'waitingForUser':
    case 'halted':
    case 'shuttingDown':
      return [];
    default:
      return turn satisfies never;
  }
}

function recoveryIn(turn: Extract<Turn, { readonly status: 'errorRecovery' }>): Work {
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
