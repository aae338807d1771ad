import { getConversation, getLastItem, type Session } from '@pawl/core';
import {
  findCallInProgress,
  getItemTopic,
  isFailedItem,
  listTranscriptItems,
  listUnrunCalls,
  type ReplayedStep,
  type TranscriptItem,
  type TranscriptItemOfKind,
} from '@pawl/core/projections';
import type { LogKind, LogLevel, LogRecord } from './log-record.ts';

/** Builds the log records of what happened in a step; its notes and actions have records of their own. */
export function buildEventRecords(replayed: ReplayedStep): readonly LogRecord[] {
  const context = { event: replayed.event.type, after: replayed.after.session };
  return listTranscriptItems(replayed).flatMap((item) => {
    const records = recordItem(item, context);
    return item.kind === 'reply' ? [...records, ...recordDenials(replayed)] : records;
  });
}

const createRecord = (
  kind: LogKind,
  level: LogLevel,
  msg: string,
  fields: LogRecord['fields'],
): readonly LogRecord[] => [{ kind, level, msg, fields }];

type ItemContext = { readonly event: string; readonly after: Session };

type ItemRecorder<Kind extends TranscriptItem['kind']> = (
  item: TranscriptItemOfKind<Kind>,
  context: ItemContext,
) => readonly LogRecord[];

function recordItem(item: TranscriptItem, context: ItemContext): readonly LogRecord[] {
  // The mapped type guarantees that each recorder accepts the item of its key.
  const record = itemRecorders[item.kind] as ItemRecorder<TranscriptItem['kind']> | undefined;
  return record === undefined ? recordOtherItem(item, context) : record(item, context);
}

const recordNothing = (): readonly LogRecord[] => [];

/** Only the length of what people and models wrote is recorded, not the text itself. */
const itemRecorders: { readonly [Kind in TranscriptItem['kind']]?: ItemRecorder<Kind> } = {
  message: ({ text }, { event }) =>
    createRecord('session', 'info', 'user input received', { event, chars: text.length }),
  reply: recordReply,
  'model-failure': ({ error: { kind: errorKind, message }, retry }) =>
    recordFailure('model', { errorKind, message }, retry),
  'work-failure': ({ of, message, retry }) =>
    recordFailure(of === 'paging' ? 'memory' : 'tool', { of, message }, retry),
  retry: () => createRecord('retry', 'info', 'retrying', {}),
  permission: (item, { after }) =>
    createRecord('permission', item.isAllowed ? 'info' : 'warn', 'permission decided', {
      callId: item.callId,
      tool: findTool(item, after),
      decision: item.isAllowed ? 'allow' : 'deny',
      reason: item.reason ?? undefined,
    }),
  'tool-start': (item, { after }) =>
    createRecord('tool', 'debug', 'tool started', { callId: item.callId, tool: findTool(item, after) }),
  'tool-result': recordToolResult,
  hooks: ({ actionTaken }) =>
    createRecord('tool', actionTaken ? 'info' : 'debug', 'hooks finished', { actionTaken }),
  'compaction-request': ({ reason }) => createRecord('memory', 'info', 'compaction requested', { reason }),
  compaction: ({ freedTokens, heldTokens }) =>
    createRecord('memory', 'info', 'compaction finished', { freedTokens, heldTokens }),
  'memory-command': ({ action, key }) =>
    createRecord('memory', 'info', 'memory action requested', { action, key }),
  recovery: ({ outcome }) => createRecord('session', 'info', 'recovery finished', { outcome: outcome.kind }),
  request: ({ reason }, { event }) =>
    createRecord('session', 'info', 'request received', { event, reason: reason ?? undefined }),
  // The records of the notes and actions cover these.
  verdict: recordNothing,
  'phase-start': recordNothing,
  'phase-end': recordNothing,
  mode: recordNothing,
  paging: recordNothing,
  wait: recordNothing,
  notice: recordNothing,
  error: recordNothing,
  halt: recordNothing,
  'delivered-message': recordNothing,
  call: recordNothing,
  'delivered-result': recordNothing,
};

/** Records an item without a form of its own: that it happened, but not its text. */
function recordOtherItem(item: TranscriptItem, { event }: ItemContext): readonly LogRecord[] {
  const topic = getItemTopic(item);
  const kind = topic === 'user' || topic === 'wait' || topic === 'mode' ? 'session' : topic;
  return createRecord(kind, isFailedItem(item) ? 'warn' : 'info', 'event recorded', { event });
}

/** Records a failure: as a warning if it will be retried, otherwise as an error. */
function recordFailure(
  kind: LogKind,
  fields: LogRecord['fields'],
  retry: { readonly retries: number; readonly retryAt: number } | null,
): readonly LogRecord[] {
  return retry === null
    ? createRecord(kind, 'error', 'failed', fields)
    : createRecord('retry', 'warn', 'failed, will retry', { ...fields, ...retry });
}

function recordReply({ text, calls, usage, problem }: TranscriptItemOfKind<'reply'>): readonly LogRecord[] {
  const fields = { chars: text.length, tools: calls.map(({ tool }) => tool), usage, problem };
  return problem === undefined
    ? createRecord('model', 'info', 'model replied', fields)
    : createRecord('model', 'warn', 'reply not understood', fields);
}

/** Records calls denied without a question: by a rule, the mode, the governor or a budget. */
function recordDenials(replayed: ReplayedStep): readonly LogRecord[] {
  return listUnrunCalls(replayed).flatMap(({ callId, tool, errorKind, reason }) =>
    errorKind === 'denied' ? createRecord('permission', 'warn', 'call denied', { callId, tool, reason }) : [],
  );
}

function recordToolResult(
  item: TranscriptItemOfKind<'tool-result'>,
  { after }: ItemContext,
): readonly LogRecord[] {
  const { callId, outcome, files, tests, tookMs } = item;
  return createRecord('tool', outcome.ok ? 'info' : 'warn', outcome.ok ? 'tool finished' : 'tool failed', {
    callId,
    tool: findTool(item, after),
    tookMs,
    ...(outcome.ok ? {} : { errorKind: outcome.error.kind, message: outcome.error.message }),
    files,
    tests,
  });
}

/** The session before the event may be unknown; then the state after it still names most tools. */
function findTool(
  { call, callId }: { readonly call: { readonly tool: string } | null; readonly callId: string },
  after: Session,
): string | null {
  const known = call ?? findCallInProgress(after.turn, callId)?.call;
  if (known !== undefined) return known.tool;
  const last = getLastItem(getConversation(after));
  return last?.role === 'tool' && last.callId === callId ? last.tool : null;
}
