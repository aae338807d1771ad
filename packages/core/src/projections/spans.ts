import { getLastItem, iterateItems, type ConversationHistory } from '../conversation/conversation.ts';
import type { ConversationMessage, ToolCall } from '../conversation/message.ts';
import type { Event } from '../session/event.ts';
import { getConversation, getUnpausedTurn } from '../session/session-status.ts';
import type { Session } from '../session/session.ts';
import type { ErrorRecovery, TurnState, TurnStatus } from '../session/turn-state.ts';
import type { ReplayedStep } from './replayed-step.ts';

/**
 * A period in which a session works on something or waits for it. `key` is unique in the session. Spans are derived from
 * the state alone, so that they are also known right after a resume.
 */
export type SessionSpan = { readonly key: string; readonly since: number } & (
  | {
      readonly kind: 'model';
      readonly request: number;
      readonly attempt: number;
      readonly conversation: ConversationHistory<ConversationMessage>;
    }
  | { readonly kind: 'tool' | 'permission'; readonly request: number; readonly call: ToolCall }
  | { readonly kind: 'hooks' | 'paging'; readonly attempt: number }
  /** `attempt` counts the failures so far; the next attempt is due at `dueAt`. */
  | {
      readonly kind: 'retry';
      readonly of: 'model' | 'hooks' | 'paging';
      readonly attempt: number;
      readonly error: string;
      readonly dueAt: number;
    }
  | { readonly kind: 'recovery'; readonly attempt: number; readonly rule: string }
  | { readonly kind: 'pause' }
  | { readonly kind: 'user' }
);

export type SpanKind = SessionSpan['kind'];

/** How a span ended. A cancelled operation did not fail. */
export type SpanResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: string };

export type EndedSpan = { readonly span: SessionSpan; readonly result: SpanResult };

/** The spans that a step started and ended. */
export type SpanChange = { readonly started: readonly SessionSpan[]; readonly ended: readonly EndedSpan[] };

/** Lists the open spans of a session; a paused session keeps those of the work it holds. */
export function listOpenSpans({ turn }: Session): readonly SessionSpan[] {
  if (turn.status !== 'paused') return listTurnSpans(turn);
  return [{ kind: 'pause', key: `pause ${turn.since}`, since: turn.since }, ...listTurnSpans(turn.held)];
}

/** Compares the open spans before and after a step. */
export function diffSpans({ event, before, after }: Omit<ReplayedStep, 'seq'>): SpanChange {
  const { session } = after;
  if (before.turn === session.turn) return noSpanChange;
  const [earlier, later] = [listOpenSpans(before), listOpenSpans(session)];
  const [earlierKeys, laterKeys] = [toKeySet(earlier), toKeySet(later)];
  return {
    started: later.filter(({ key }) => !earlierKeys.has(key)),
    ended: earlier.flatMap((span) =>
      laterKeys.has(span.key) ? [] : [{ span, result: readSpanResult(span, event, session) }],
    ),
  };
}

const noSpanChange: SpanChange = { started: [], ended: [] };

function toKeySet(spans: readonly SessionSpan[]): ReadonlySet<string> {
  return new Set(spans.map(({ key }) => key));
}

function listTurnSpans(turn: Exclude<TurnState, { readonly status: 'paused' }>): readonly SessionSpan[] {
  const { since } = turn;
  switch (turn.status) {
    case 'callingModel': {
      const { request, retries, conversation } = turn;
      return [{ kind: 'model', key: `model ${request}`, since, request, attempt: retries + 1, conversation }];
    }
    case 'awaitingPermission': {
      const { request } = turn;
      return turn.calls.flatMap(({ decision, call }): readonly SessionSpan[] =>
        decision === 'pending'
          ? [{ kind: 'permission', key: `permission ${request} ${call.id}`, since, request, call }]
          : [],
      );
    }
    case 'executingTools': {
      const { request } = turn;
      return turn.executions.flatMap((each): readonly SessionSpan[] => {
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
      return [toRecoverySpan(turn)];
    case 'waitingForUser':
      return [{ kind: 'user', key: `user ${since}`, since }];
    case 'halted':
    case 'shuttingDown':
      return [];
    default:
      return turn satisfies never;
  }
}

function toRecoverySpan(turn: ErrorRecovery): SessionSpan {
  const { since, request } = turn;
  if (turn.origin === 'tool') {
    const { attempt, verdict } = turn;
    return { kind: 'recovery', key: `recovery ${request} ${attempt}`, since, attempt, rule: verdict.rule };
  }
  const { retries: attempt, retryAt: dueAt } = turn;
  return {
    kind: 'retry',
    key: `retry ${request} ${attempt}`,
    since,
    of: turn.origin === 'model' ? 'model' : turn.work.kind,
    attempt,
    error: turn.origin === 'model' ? turn.error.kind : 'io',
    dueAt,
  };
}

const spanDone: SpanResult = { kind: 'done' };
const spanCancelled: SpanResult = { kind: 'cancelled' };

function createSpanFailure(error: string): SpanResult {
  return { kind: 'failed', error };
}

type ResultReader = (event: Event, after: Session, span: SessionSpan) => SpanResult;

/** The event that ends a span says how; any other event cancels it. */
function readSpanResult(span: SessionSpan, event: Event, after: Session): SpanResult {
  return resultReaders[span.kind](event, after, span);
}

/** Done by the first event type, failed by the second, cancelled by any other. */
const readByType =
  (good: Event['type'], bad?: Event['type']): ResultReader =>
  ({ type }) =>
    type === good ? spanDone : type === bad ? createSpanFailure('io') : spanCancelled;

const resultReaders: Readonly<Record<SpanKind, ResultReader>> = {
  model: readModelResult,
  tool: (event, _, span) => {
    if (event.type !== 'tool-finished' || !isSpanCall(span, event.callId)) return spanCancelled;
    return event.outcome.ok ? spanDone : createSpanFailure(event.outcome.error.kind);
  },
  permission: (event, _, span) =>
    event.type === 'permission-decided' && isSpanCall(span, event.callId) ? spanDone : spanCancelled,
  hooks: readByType('hooks-finished', 'hooks-failed'),
  paging: readByType('paging-finished', 'paging-failed'),
  retry: readByType('retry-due'),
  recovery: readByType('recovery-finished'),
  pause: readByType('resume-requested'),
  user: () => spanDone,
};

function isSpanCall(span: SessionSpan, callId: string): boolean {
  return 'call' in span && span.call.id === callId;
}

/** A reply may count as a failure, for example a repetition loop. */
function readModelResult(event: Event, { turn }: Session): SpanResult {
  if (event.type === 'model-failed') return createSpanFailure(event.error.kind);
  if (event.type !== 'model-replied') return spanCancelled;
  const unpaused = getUnpausedTurn(turn);
  return unpaused.status === 'errorRecovery' && unpaused.origin === 'model'
    ? createSpanFailure(unpaused.error.kind)
    : spanDone;
}

/** The span of a turn, identified by the time of the user message that started it. */
export type TurnSpan = { readonly startedAt: number };

/** How a turn ended, and its error if it failed. */
export type EndedTurn = TurnSpan & { readonly ending: string; readonly result: SpanResult };

/** Returns the session's current turn; null if it waits for the user or has ended. */
export function findOpenTurn(session: Session): TurnSpan | null {
  if (!hasOpenTurn(session)) return null;
  let startedAt: number | null = null;
  for (const message of iterateItems(getConversation(session)))
    if (message.role === 'user') startedAt = message.at;
  return startedAt === null ? null : { startedAt };
}

/**
 * Returns the current turn after one more step. A user message is the last one in the conversation when the model is
 * called; a message sent meanwhile therefore starts a new turn, as it does for the governor.
 */
export function advanceOpenTurn(open: TurnSpan | null, before: Session, after: Session): TurnSpan | null {
  if (before.turn === after.turn) return open;
  if (!hasOpenTurn(after)) return null;
  const last = getLastItem(getConversation(after));
  const isNew = last?.role === 'user' && last !== getLastItem(getConversation(before));
  return isNew ? { startedAt: last.at } : open;
}

/** Returns how a turn ended with a step. */
export function getTurnEnding({
  event,
  after: { session, actions },
}: Omit<ReplayedStep, 'seq'>): Pick<EndedTurn, 'ending' | 'result'> {
  const { turn } = session;
  const error = actions.find((action) => action.type === 'show-error');
  if (turn.status === 'halted') {
    const { kind } = turn.haltReason;
    return { ending: 'halted', result: kind === 'requested' ? spanCancelled : createSpanFailure(kind) };
  }
  if (turn.status === 'shuttingDown') return { ending: 'shut-down', result: spanCancelled };
  if (hasOpenTurn(session)) return { ending: 'steered', result: spanDone };
  if (event.type === 'cancel-requested') return { ending: 'cancelled', result: spanCancelled };
  if (error !== undefined) return { ending: 'failed', result: createSpanFailure(error.kind) };
  return { ending: 'answered', result: spanDone };
}

const betweenTurnStatuses: ReadonlySet<TurnStatus> = new Set(['waitingForUser', 'halted', 'shuttingDown']);

/** A paused turn is still open. */
function hasOpenTurn({ turn }: Session): boolean {
  return !betweenTurnStatuses.has(getUnpausedTurn(turn).status);
}
