import type { Event, TurnState, EventOfType } from '@pawl/core';
import { findCalledTool, listDeniedCalls, type SessionTransition } from './session-calls.ts';
import type { LogKind, LogLevel, LogRecord } from './log-record.ts';
import { buildVerdictRecord } from './note-records.ts';

type EventRecorder<Type extends Event['type']> = (
  event: EventOfType<Type>,
  around: SessionTransition,
) => readonly LogRecord[];

/** Builds the log records of an event itself; notes and actions cover its consequences. */
export function buildEventRecords(event: Event, around: SessionTransition): readonly LogRecord[] {
  // `eventRecorders` guarantees that the recorder for an event's type accepts that event.
  const tell = eventRecorders[event.type] as EventRecorder<Event['type']>;
  return tell(event, around);
}

const recordNothing = (): readonly LogRecord[] => [];

const createRecord = (
  kind: LogKind,
  level: LogLevel,
  msg: string,
  fields: LogRecord['fields'],
): readonly LogRecord[] => [{ kind, level, msg, fields }];

/** Records a request to change the session, such as pausing it. */
const recordRequest = (event: { readonly type: string; readonly reason?: string }): readonly LogRecord[] =>
  createRecord('session', 'info', 'was asked for', { event: event.type, reason: event.reason });

/** Records only the length of user text, not the text itself. */
const recordUserText = (event: { readonly type: string; readonly text: string }): readonly LogRecord[] =>
  createRecord('session', 'info', 'heard the user', { event: event.type, chars: event.text.length });

/** Records a failure: as a warning if it will be retried, otherwise as an error. */
const createFailureRecorder =
  (kind: LogKind) =>
  (what: Readonly<Record<string, unknown>>, { after }: SessionTransition): readonly LogRecord[] => {
    const retry = findRetry(after.turn);
    return retry === null
      ? createRecord(kind, 'error', 'failed', what)
      : createRecord('retry', 'warn', 'failed and will try again', { ...what, ...retry });
  };

function findRetry(turn: TurnState): { readonly retries: number; readonly retryAt: number } | null {
  if (turn.status !== 'errorRecovery' || turn.origin === 'tool') return null;
  return { retries: turn.retries, retryAt: turn.retryAt };
}

const eventRecorders: { readonly [Type in Event['type']]: EventRecorder<Type> } = {
  'user-message': recordUserText,
  steered: recordUserText,
  'model-replied': (event, around) => [...recordModelReply(event), ...recordDenials(around)],
  'model-failed': ({ error }, around) =>
    createFailureRecorder('model')({ errorKind: error.kind, message: error.message }, around),
  'retry-due': () => createRecord('retry', 'info', 'tries again', {}),
  'permission-decided': ({ callId, decision, reason }, around) =>
    createRecord('permission', decision === 'deny' ? 'warn' : 'info', 'was decided on', {
      callId,
      tool: findCalledTool(callId, around)?.tool ?? null,
      decision,
      reason,
    }),
  'tool-started': ({ callId }, around) =>
    createRecord('tool', 'debug', 'started a tool', {
      callId,
      tool: findCalledTool(callId, around)?.tool ?? null,
    }),
  'tool-finished': recordToolResult,
  'hooks-finished': ({ actionTaken }) =>
    createRecord('tool', actionTaken ? 'info' : 'debug', 'ran hooks', { actionTaken }),
  'hooks-failed': ({ message }, around) => createFailureRecorder('tool')({ of: 'hooks', message }, around),
  'paging-requested': ({ reason }) => createRecord('memory', 'info', 'is to make room', { reason }),
  'paging-finished': ({ freedTokens, heldTokens }) =>
    createRecord('memory', 'info', 'made room', { freedTokens, heldTokens }),
  'paging-failed': ({ message }, around) =>
    createFailureRecorder('memory')({ of: 'paging', message }, around),
  'memory-asked': ({ action, key }) => createRecord('memory', 'info', 'was asked of memory', { action, key }),
  'verdict-reached': ({ verdict }) => [buildVerdictRecord(verdict)],
  'recovery-finished': ({ outcome }) =>
    createRecord('session', 'info', 'ended a recovery', { outcome: outcome.kind }),
  'finish-requested': recordRequest,
  'pause-requested': recordRequest,
  'resume-requested': recordRequest,
  'cancel-requested': recordRequest,
  'halt-requested': recordRequest,
  'shutdown-requested': recordRequest,
  'phase-started': recordNothing,
  'phase-completed': recordNothing,
  'text-delta': recordNothing,
  'call-delta': recordNothing,
  'tool-progressed': recordNothing,
};

function recordModelReply({
  text,
  calls,
  usage,
  problem,
}: EventOfType<'model-replied'>): readonly LogRecord[] {
  const fields = { chars: text.length, tools: calls.map(({ tool }) => tool), usage, problem };
  return problem === undefined
    ? createRecord('model', 'info', 'replied', fields)
    : createRecord('model', 'warn', 'was not understood', fields);
}

function recordDenials(around: SessionTransition): readonly LogRecord[] {
  return listDeniedCalls(around).flatMap((call) => createRecord('permission', 'warn', 'denied a call', call));
}

function recordToolResult(
  event: EventOfType<'tool-finished'>,
  around: SessionTransition,
): readonly LogRecord[] {
  const { at, callId, outcome, files = [], tests } = event;
  const called = findCalledTool(callId, around);
  const startedAt = called?.startedAt ?? null;
  return createRecord(
    'tool',
    outcome.ok ? 'info' : 'warn',
    outcome.ok ? 'ran a tool' : 'ran a tool that failed',
    {
      callId,
      tool: called?.tool ?? null,
      tookMs: startedAt === null ? null : at - startedAt,
      ...(outcome.ok ? {} : { errorKind: outcome.error.kind, message: outcome.error.message }),
      files: files.map(({ path }) => path),
      tests,
    },
  );
}
