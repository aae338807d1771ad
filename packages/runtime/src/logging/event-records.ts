import type { Event, TurnState, EventOfType } from '@pawl/core';
import { findCalledTool, listDeniedCalls, type SessionTransition } from './session-calls.ts';
import type { LogKind, LogLevel, LogRecord } from './log-record.ts';
import { buildVerdictRecord } from './note-records.ts';

type EventRecorder<Type extends Event['type']> = (
  event: EventOfType<Type>,
  transition: SessionTransition,
) => readonly LogRecord[];

/** Builds the log records of an event itself; notes and actions cover its consequences. */
export function buildEventRecords(event: Event, transition: SessionTransition): readonly LogRecord[] {
  // `eventRecorders` guarantees that the recorder for an event's type accepts that event.
  const recordEvent = eventRecorders[event.type] as EventRecorder<Event['type']>;
  return recordEvent(event, transition);
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
  createRecord('session', 'info', 'request received', { event: event.type, reason: event.reason });

/** Records only the length of user text, not the text itself. */
const recordUserText = (event: { readonly type: string; readonly text: string }): readonly LogRecord[] =>
  createRecord('session', 'info', 'user input received', { event: event.type, chars: event.text.length });

/** Records a failure: as a warning if it will be retried, otherwise as an error. */
const createFailureRecorder =
  (kind: LogKind) =>
  (fields: Readonly<Record<string, unknown>>, { after }: SessionTransition): readonly LogRecord[] => {
    const retry = findRetry(after.turn);
    return retry === null
      ? createRecord(kind, 'error', 'failed', fields)
      : createRecord('retry', 'warn', 'failed, will retry', { ...fields, ...retry });
  };

function findRetry(turn: TurnState): { readonly retries: number; readonly retryAt: number } | null {
  if (turn.status !== 'errorRecovery' || turn.origin === 'tool') return null;
  return { retries: turn.retries, retryAt: turn.retryAt };
}

const eventRecorders: { readonly [Type in Event['type']]: EventRecorder<Type> } = {
  'user-message': recordUserText,
  steered: recordUserText,
  'model-replied': (event, transition) => [...recordModelReply(event), ...recordDenials(transition)],
  'model-failed': ({ error }, transition) =>
    createFailureRecorder('model')({ errorKind: error.kind, message: error.message }, transition),
  'retry-due': () => createRecord('retry', 'info', 'retrying', {}),
  'permission-decided': ({ callId, decision, reason }, transition) =>
    createRecord('permission', decision === 'deny' ? 'warn' : 'info', 'permission decided', {
      callId,
      tool: findCalledTool(callId, transition)?.tool ?? null,
      decision,
      reason,
    }),
  'tool-started': ({ callId }, transition) =>
    createRecord('tool', 'debug', 'tool started', {
      callId,
      tool: findCalledTool(callId, transition)?.tool ?? null,
    }),
  'tool-finished': recordToolResult,
  'hooks-finished': ({ actionTaken }) =>
    createRecord('tool', actionTaken ? 'info' : 'debug', 'hooks finished', { actionTaken }),
  'hooks-failed': ({ message }, transition) =>
    createFailureRecorder('tool')({ of: 'hooks', message }, transition),
  'paging-requested': ({ reason }) => createRecord('memory', 'info', 'compaction requested', { reason }),
  'paging-finished': ({ freedTokens, heldTokens }) =>
    createRecord('memory', 'info', 'compaction finished', { freedTokens, heldTokens }),
  'paging-failed': ({ message }, transition) =>
    createFailureRecorder('memory')({ of: 'paging', message }, transition),
  'memory-command-requested': ({ action, key }) =>
    createRecord('memory', 'info', 'memory action requested', { action, key }),
  'verdict-reached': ({ verdict }) => [buildVerdictRecord(verdict)],
  'recovery-finished': ({ outcome }) =>
    createRecord('session', 'info', 'recovery finished', { outcome: outcome.kind }),
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
    ? createRecord('model', 'info', 'model replied', fields)
    : createRecord('model', 'warn', 'reply not understood', fields);
}

function recordDenials(transition: SessionTransition): readonly LogRecord[] {
  return listDeniedCalls(transition).flatMap((call) =>
    createRecord('permission', 'warn', 'call denied', call),
  );
}

function recordToolResult(
  event: EventOfType<'tool-finished'>,
  transition: SessionTransition,
): readonly LogRecord[] {
  const { at, callId, outcome, files = [], tests } = event;
  const calledTool = findCalledTool(callId, transition);
  const startedAt = calledTool?.startedAt ?? null;
  return createRecord('tool', outcome.ok ? 'info' : 'warn', outcome.ok ? 'tool finished' : 'tool failed', {
    callId,
    tool: calledTool?.tool ?? null,
    tookMs: startedAt === null ? null : at - startedAt,
    ...(outcome.ok ? {} : { errorKind: outcome.error.kind, message: outcome.error.message }),
    files: files.map(({ path }) => path),
    tests,
  });
}
