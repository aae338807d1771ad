import {
  findCallInProgress,
  getConversation,
  getItemTopic,
  getLastItem,
  isFailedItem,
  listTranscriptItems,
  listUnrunCalls,
  type ReplayedStep,
  type Session,
  type TranscriptItem,
} from '@pawl/core';
import type { LogKind, LogLevel, LogRecord } from './log-record.ts';

/** Builds the log records of what happened in a step; its notes and actions have records of their own. */
export function buildEventRecords(replayed: ReplayedStep): readonly LogRecord[] {
  const { event, after } = replayed;
  return listTranscriptItems(replayed).flatMap((item) => {
    const records = recordItem(item, event.type, after.session);
    return item.kind === 'reply' ? [...records, ...recordDenials(replayed)] : records;
  });
}

const createRecord = (
  kind: LogKind,
  level: LogLevel,
  msg: string,
  fields: LogRecord['fields'],
): readonly LogRecord[] => [{ kind, level, msg, fields }];

/** Records only the length of what people and models wrote, not the text itself. */
function recordItem(item: TranscriptItem, event: string, after: Session): readonly LogRecord[] {
  switch (item.kind) {
    case 'message':
      return createRecord('session', 'info', 'user input received', { event, chars: item.text.length });
    case 'reply':
      return recordReply(item);
    case 'model-failure': {
      const { kind: errorKind, message } = item.error;
      return recordFailure('model', { errorKind, message }, item.retry);
    }
    case 'work-failure':
      return recordFailure(
        item.of === 'paging' ? 'memory' : 'tool',
        { of: item.of, message: item.message },
        item.retry,
      );
    case 'retry':
      return createRecord('retry', 'info', 'retrying', {});
    case 'permission': {
      const { callId, isAllowed, reason } = item;
      return createRecord('permission', isAllowed ? 'info' : 'warn', 'permission decided', {
        callId,
        tool: findTool(item, after),
        decision: isAllowed ? 'allow' : 'deny',
        reason: reason ?? undefined,
      });
    }
    case 'tool-start':
      return createRecord('tool', 'debug', 'tool started', {
        callId: item.callId,
        tool: findTool(item, after),
      });
    case 'tool-result':
      return recordToolResult(item, after);
    case 'hooks': {
      const { actionTaken } = item;
      return createRecord('tool', actionTaken ? 'info' : 'debug', 'hooks finished', { actionTaken });
    }
    case 'compaction-request':
      return createRecord('memory', 'info', 'compaction requested', { reason: item.reason });
    case 'compaction': {
      const { freedTokens, heldTokens } = item;
      return createRecord('memory', 'info', 'compaction finished', { freedTokens, heldTokens });
    }
    case 'memory-command':
      return createRecord('memory', 'info', 'memory action requested', {
        action: item.action,
        key: item.key,
      });
    case 'recovery':
      return createRecord('session', 'info', 'recovery finished', { outcome: item.outcome.kind });
    case 'request':
      return createRecord('session', 'info', 'request received', { event, reason: item.reason ?? undefined });
    // The records of the notes, the actions and the event that caused them cover these.
    case 'verdict':
    case 'phase-start':
    case 'phase-end':
    case 'mode':
    case 'paging':
    case 'wait':
    case 'notice':
    case 'error':
    case 'halt':
    case 'delivered-message':
    case 'call':
    case 'delivered-result':
      return [];
    default:
      return recordOtherItem(item, event);
  }
}

/** Records an item without a form of its own: that it happened, but not its text. */
function recordOtherItem(item: TranscriptItem, event: string): readonly LogRecord[] {
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

function recordReply({
  text,
  calls,
  usage,
  problem,
}: TranscriptItem & { readonly kind: 'reply' }): readonly LogRecord[] {
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
  item: TranscriptItem & { readonly kind: 'tool-result' },
  after: Session,
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
