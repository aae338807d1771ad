import { createRequire } from 'node:module';
import {
  getConversation,
  isEphemeralEvent,
  getLastItem,
  type Session,
  type Action,
  type Note,
  type Verdict,
} from '@pawl/core';
import {
  toReplayedStep,
  findCallInProgress,
  getItemTopic,
  isFailedItem,
  listTranscriptItems,
  listUnrunCalls,
  type ReplayedStep,
  type TranscriptItem,
  type TranscriptItemOfKind,
} from '@pawl/core/projections';
import type * as Pino from 'pino';
import type { StepResult } from '../agent/agent.ts';
import type { LogLevel, LogRecord, LogKind } from './log-record.ts';
import { maskSecrets } from './mask-secrets.ts';

export type EventLoggerOptions = {
  /** Receives one line, including its trailing newline. */
  readonly write: (line: string) => void;
  /** Minimum level; `info` by default. */
  readonly level?: LogLevel;
  /** Literal values to mask, in addition to text that looks like a secret. */
  readonly redact?: readonly string[];
};

export type EventLogger = {
  /** Call from the observer of one or several agents. */
  readonly observe: (result: StepResult) => void;
};

/** Longer texts are truncated; traces contain them in full. */
const logTextMax = 1_000;

/** Logs an agent's steps as JSON Lines: level, time, session, seq, kind and the fields of that kind. */
export function createEventLogger({ write, level = 'info', redact = [] }: EventLoggerOptions): EventLogger {
  const log = loadPino().pino(
    { level, base: null, timestamp: false, formatters: { level: (label) => ({ level: label }) } },
    { write },
  );
  let last: Session | null = null;
  return {
    observe(result) {
      const { event, session } = result;
      if (isEphemeralEvent(event)) return;
      const before = last?.id === session.id ? last : createUnknownSession(session);
      for (const record of buildLogRecords(result, before)) {
        if (!log.isLevelEnabled(record.level)) continue;
        const { kind, fields, msg } = record;
        const line = { time: event.at, session: session.id, seq: session.seq, kind, ...fields };
        log[record.level](maskSecrets(line, { secrets: redact, textMax: logTextMax }), msg);
      }
      last = session;
    },
  };
}

/** Stands for the session before the first observed event, about whose work nothing is known. */
function createUnknownSession(after: Session): Session {
  const { since } = after.turn;
  return { ...after, turn: { status: 'waitingForUser', since, conversation: getConversation(after) } };
}

/** Of a rejected event, only the rejection is logged. */
function buildLogRecords(result: StepResult, before: Session): readonly LogRecord[] {
  const { event, notes, actions } = result;
  const isAccepted = !notes.some(({ type }) => type === 'refused');
  const eventRecord: LogRecord = { level: 'trace', kind: 'event', msg: 'event accepted', fields: { event } };
  return [
    ...(isAccepted ? [eventRecord, ...buildEventRecords(toReplayedStep(before, result))] : []),
    ...notes.map((note) => buildNoteRecord(note)),
    ...actions.map((action) => buildActionRecord(action)),
  ];
}

/** Loaded synchronously on first use, so that agents without logging do not pay for it. */
function loadPino(): typeof Pino {
  return createRequire(import.meta.url)('pino') as typeof Pino;
}

/** Builds the log records of what happened in a step; its notes and actions have records of their own. */
function buildEventRecords(replayed: ReplayedStep): readonly LogRecord[] {
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
      tool: findToolName(item, after),
      decision: item.isAllowed ? 'allow' : 'deny',
      reason: item.reason ?? undefined,
    }),
  'tool-start': (item, { after }) =>
    createRecord('tool', 'debug', 'tool started', { callId: item.callId, tool: findToolName(item, after) }),
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
    tool: findToolName(item, after),
    tookMs,
    ...(outcome.ok ? {} : { errorKind: outcome.error.kind, message: outcome.error.message }),
    files,
    tests,
  });
}

/** The session before the event may be unknown; then the state after it still names most tools. */
function findToolName(
  { call, callId }: { readonly call: { readonly tool: string } | null; readonly callId: string },
  after: Session,
): string | null {
  const known = call ?? findCallInProgress(after.turn, callId)?.call;
  if (known !== undefined) return known.tool;
  const last = getLastItem(getConversation(after));
  return last?.role === 'tool' && last.callId === callId ? last.tool : null;
}

function buildNoteRecord(note: Note): LogRecord {
  switch (note.type) {
    case 'transition':
    case 'mode': {
      const { from, to, cause, durationMs } = note;
      const machine = note.type === 'mode' ? 'mode' : 'turn';
      return {
        level: 'info',
        kind: 'transition',
        msg: 'state changed',
        fields: { machine, from, to, cause, durationMs },
      };
    }
    case 'refused': {
      const { status, event, reason } = note;
      return { level: 'warn', kind: 'refused', msg: 'event refused', fields: { status, event, reason } };
    }
    case 'verdict':
      return buildVerdictRecord(note.verdict);
    case 'paged': {
      const { moved, freedTokens } = note;
      const fields = { moved: moved.length, freedTokens };
      return { level: 'info', kind: 'memory', msg: 'entries moved to storage', fields };
    }
    case 'phase-started': {
      const { number, description } = note;
      return { level: 'info', kind: 'phase', msg: 'phase started', fields: { number, description } };
    }
    case 'phase-completed': {
      const { number, success } = note;
      const level = success ? 'info' : 'warn';
      return { level, kind: 'phase', msg: 'phase completed', fields: { number, success } };
    }
    default:
      return note satisfies never;
  }
}

function buildVerdictRecord(verdict: Verdict): LogRecord {
  const { severity, rule, reason, advice, evidence, response } = verdict;
  return {
    level: severity === 'advise' ? 'warn' : 'error',
    kind: 'verdict',
    msg: 'verdict reached',
    fields: { severity, rule, reason, advice, evidence, response: response.kind },
  };
}

/** Builds the log record of an action, without the text sent to the model; traces contain that. */
function buildActionRecord(action: Action): LogRecord {
  const level = actionLogLevels[action.type];
  const fields = { action: summarizeAction(action) };
  return action.type === 'ask-permission'
    ? { level, kind: 'permission', msg: 'permission requested', fields }
    : { level, kind: 'action', msg: 'action requested', fields };
}

const actionLogLevels: Readonly<Record<Action['type'], LogLevel>> = {
  'ask-model': 'debug',
  'ask-permission': 'info',
  'run-tools': 'debug',
  'run-hooks': 'debug',
  'page-memory': 'debug',
  store: 'debug',
  recover: 'info',
  wait: 'debug',
  'show-text': 'debug',
  'show-error': 'error',
  abort: 'debug',
  stop: 'warn',
  'shut-down': 'info',
};

/** Replaces long fields with counts. */
function summarizeAction(action: Action): Readonly<Record<string, unknown>> {
  switch (action.type) {
    case 'ask-model': {
      const { conversation, advice, ...rest } = action;
      return { ...rest, messages: conversation.length, isAdvised: advice !== null };
    }
    case 'store':
      return { type: action.type, entries: action.entries.length };
    case 'show-text':
      return { type: action.type, chars: action.text.length };
    case 'recover': {
      const { verdict, ...rest } = action;
      return { ...rest, rule: verdict.rule };
    }
    default:
      return action;
  }
}
