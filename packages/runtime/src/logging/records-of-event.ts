import type { Event, Turn } from '@pawl/core';
import { calledOf, deniedIn, type Around } from './calls-around.ts';
import type { LogKind, LogLevel, LogRecord } from './log-record.ts';
import { recordOfVerdict } from './records-of-notes.ts';

type EventOf<Type extends Event['type']> = Extract<Event, { readonly type: Type }>;
type Teller<Type extends Event['type']> = (event: EventOf<Type>, around: Around) => readonly LogRecord[];

/** What an event itself is worth. What it led to is told by notes and actions. */
export function recordsOfEvent(event: Event, around: Around): readonly LogRecord[] {
  // The table guarantees that the teller under an event's type takes that event.
  const tell = tellers[event.type] as Teller<Event['type']>;
  return tell(event, around);
}

const untold = (): readonly LogRecord[] => [];

const record = (
  kind: LogKind,
  level: LogLevel,
  msg: string,
  fields: LogRecord['fields'],
): readonly LogRecord[] => [{ kind, level, msg, fields }];

/** What anybody wished for the session. */
const wish = (event: { readonly type: string; readonly reason?: string }): readonly LogRecord[] =>
  record('session', 'info', 'was asked for', { event: event.type, reason: event.reason });

/** Of what a person says, a log only has how long it is. */
const heard = (event: { readonly type: string; readonly text: string }): readonly LogRecord[] =>
  record('session', 'info', 'heard the user', { event: event.type, chars: event.text.length });

/** A failure that is tried again, or the last of them. */
const failed =
  (kind: LogKind) =>
  (what: Readonly<Record<string, unknown>>, { after }: Around): readonly LogRecord[] => {
    const retry = retryIn(after.turn);
    return retry === null
      ? record(kind, 'error', 'failed', what)
      : record('retry', 'warn', 'failed and will try again', { ...what, ...retry });
  };

function retryIn(turn: Turn): { readonly retries: number; readonly retryAt: number } | null {
  if (turn.status !== 'errorRecovery' || turn.origin === 'tool') return null;
  return { retries: turn.retries, retryAt: turn.retryAt };
}

const tellers: { readonly [Type in Event['type']]: Teller<Type> } = {
  'user-message': heard,
  steered: heard,
  'model-replied': (event, around) => [...replied(event), ...denials(around)],
  'model-failed': ({ error }, around) =>
    failed('model')({ errorKind: error.kind, message: error.message }, around),
  'retry-due': () => record('retry', 'info', 'tries again', {}),
  'permission-decided': ({ callId, decision, reason }, around) =>
    record('permission', decision === 'deny' ? 'warn' : 'info', 'was decided on', {
      callId,
      tool: calledOf(callId, around)?.tool ?? null,
      decision,
      reason,
    }),
  'tool-started': ({ callId }, around) =>
    record('tool', 'debug', 'started a tool', { callId, tool: calledOf(callId, around)?.tool ?? null }),
  'tool-finished': finished,
  'hooks-finished': ({ actionTaken }) =>
    record('tool', actionTaken ? 'info' : 'debug', 'ran hooks', { actionTaken }),
  'hooks-failed': ({ message }, around) => failed('tool')({ of: 'hooks', message }, around),
  'paging-requested': ({ reason }) => record('memory', 'info', 'is to make room', { reason }),
  'paging-finished': ({ freedTokens, heldTokens }) =>
    record('memory', 'info', 'made room', { freedTokens, heldTokens }),
  'paging-failed': ({ message }, around) => failed('memory')({ of: 'paging', message }, around),
  'memory-asked': ({ action, key }) => record('memory', 'info', 'was asked of memory', { action, key }),
  'verdict-reached': ({ verdict }) => [recordOfVerdict(verdict)],
  'recovery-finished': ({ outcome }) =>
    record('session', 'info', 'ended a recovery', { outcome: outcome.kind }),
  'finish-requested': wish,
  'pause-requested': wish,
  'resume-requested': wish,
  'cancel-requested': wish,
  'halt-requested': wish,
  'shutdown-requested': wish,
  'phase-started': untold,
  'phase-completed': untold,
  'text-delta': untold,
  'call-delta': untold,
  'tool-progressed': untold,
};

function replied({ text, calls, usage, problem }: EventOf<'model-replied'>): readonly LogRecord[] {
  const fields = { chars: text.length, tools: calls.map(({ tool }) => tool), usage, problem };
  return problem === undefined
    ? record('model', 'info', 'replied', fields)
    : record('model', 'warn', 'was not understood', fields);
}

function denials(around: Around): readonly LogRecord[] {
  return deniedIn(around).flatMap((call) => record('permission', 'warn', 'denied a call', call));
}

function finished(event: EventOf<'tool-finished'>, around: Around): readonly LogRecord[] {
  const { at, callId, outcome, files = [], tests } = event;
  const called = calledOf(callId, around);
  const startedAt = called?.startedAt ?? null;
  return record('tool', outcome.ok ? 'info' : 'warn', outcome.ok ? 'ran a tool' : 'ran a tool that failed', {
    callId,
    tool: called?.tool ?? null,
    tookMs: startedAt === null ? null : at - startedAt,
    ...(outcome.ok ? {} : { errorKind: outcome.error.kind, message: outcome.error.message }),
    files: files.map(({ path }) => path),
    tests,
  });
}
