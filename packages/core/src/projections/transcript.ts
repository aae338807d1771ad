import type { Json, Verdict } from '@pawl/governor';
import type { Action } from '../session/action.ts';
import type { ConversationMessage, ToolCall, ToolOutcome } from '../conversation/message.ts';
import type {
  Event,
  EventOfType,
  EventType,
  ModelError,
  RecoveryOutcome,
  RequestedCall,
  TokenUsage,
  ModelReplied,
} from '../session/event.ts';
import type { MemoryCommand } from '../memory/apply-memory-action.ts';
import type { Note } from '../session/note.ts';
import { getConversation, getUnpausedTurn } from '../session/session-status.ts';
import type { Session } from '../session/session.ts';
import type { HaltReason, TurnStatus } from '../session/turn-state.ts';
import { findCallInProgress, isRefusedStep, listAddedMessages, type ReplayedStep } from './replayed-step.ts';

/** One thing that happened in a session, and the event it came from. */
export type TranscriptItem = { readonly seq: number; readonly at: number } & TranscriptFact;

/** The items of one kind. */
export type TranscriptItemOfKind<Kind extends TranscriptFact['kind']> = Extract<
  TranscriptItem,
  { readonly kind: Kind }
>;

/**
 * What happened, as data. Views give some kinds their own form and show every other kind with `summarizeItem`, so a new
 * kind appears in all of them.
 */
export type TranscriptFact =
  | { readonly kind: 'message'; readonly author: MessageAuthor; readonly text: string }
  /** A user message that is now part of the conversation, so the next model call contains it. */
  | { readonly kind: 'delivered-message'; readonly text: string }
  | ReplyFact
  | {
      readonly kind: 'model-failure';
      readonly error: ModelError;
      readonly tookMs: number;
      readonly retry: ScheduledRetry | null;
    }
  /** A call that is now part of the conversation. */
  | { readonly kind: 'call'; readonly call: ToolCall }
  | {
      readonly kind: 'permission';
      readonly callId: string;
      readonly call: ToolCall | null;
      readonly isAllowed: boolean;
      readonly reason: string | null;
    }
  | { readonly kind: 'tool-start'; readonly callId: string; readonly call: ToolCall | null }
  | ToolResultFact
  /** A result that is now part of the conversation. Calls that never ran have no other result. */
  | { readonly kind: 'delivered-result'; readonly callId: string; readonly outcome: ToolOutcome }
  | { readonly kind: 'hooks'; readonly actionTaken: boolean }
  | {
      readonly kind: 'work-failure';
      readonly of: 'hooks' | 'paging';
      readonly message: string;
      readonly retry: ScheduledRetry | null;
    }
  | { readonly kind: 'retry' }
  | { readonly kind: 'recovery'; readonly outcome: RecoveryOutcome }
  | { readonly kind: 'compaction-request'; readonly reason: string }
  | { readonly kind: 'compaction'; readonly freedTokens: number; readonly heldTokens: number | undefined }
  | { readonly kind: 'memory-command'; readonly action: MemoryCommand; readonly key: string }
  | { readonly kind: 'request'; readonly request: SessionRequest; readonly reason: string | null }
  | { readonly kind: 'wait'; readonly status: TurnStatus; readonly tookMs: number }
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  | { readonly kind: 'paging'; readonly movedEntries: number; readonly freedTokens: number }
  | { readonly kind: 'mode'; readonly from: string; readonly to: string; readonly cause: string }
  | { readonly kind: 'phase-start'; readonly number: number; readonly description: string }
  /** `number` is null if only the event is known, which does not name the phase. */
  | { readonly kind: 'phase-end'; readonly number: number | null; readonly success: boolean }
  /** Text for the user that neither the model nor a tool wrote. */
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'error'; readonly errorKind: string; readonly message: string }
  | { readonly kind: 'halt'; readonly haltReason: HaltReason }
  /** Streamed output and progress, which no log contains. */
  | { readonly kind: 'text-delta'; readonly text: string }
  | { readonly kind: 'call-delta'; readonly callId: string; readonly tool: string; readonly fragment: string }
  | { readonly kind: 'tool-progress'; readonly callId: string; readonly progress: string };

/** `steering` is sent while work is in progress; `automatic` does not come from a person. */
export type MessageAuthor = 'user' | 'steering' | 'automatic';

export type SessionRequest = 'finish' | 'pause' | 'resume' | 'cancel' | 'halt' | 'shutdown';

export type ScheduledRetry = { readonly retries: number; readonly retryAt: number };

export type ReplyFact = {
  readonly kind: 'reply';
  readonly text: string;
  /** The text addressed to the user. */
  readonly spokenLines: readonly string[];
  readonly calls: readonly RequestedCall[];
  readonly usage: TokenUsage | undefined;
  readonly problem: string | undefined;
  readonly tookMs: number;
};

export type ToolResultFact = {
  readonly kind: 'tool-result';
  readonly callId: string;
  readonly call: ToolCall | null;
  readonly outcome: ToolOutcome;
  /** Paths of the files that the tool changed. */
  readonly files: readonly string[];
  /** The changes as the hunks of unified diffs, as far as they are recorded. */
  readonly diffs: readonly string[];
  readonly tests: EventOfType<'tool-finished'>['tests'];
  /** Null if the start of the call is unknown. */
  readonly tookMs: number | null;
};

/**
 * Lists what happened in a step: the wait that it ended, the event, the messages it added to the conversation, its
 * notes, and the actions that people see.
 */
export function listTranscriptItems(replayed: ReplayedStep): readonly TranscriptItem[] {
  const { seq, event, before, after } = replayed;
  const facts = [
    ...listWaits(before, after.notes),
    ...(isRefusedStep(replayed) ? [] : listEventFacts(event, { before, after: after.session })),
    ...listAddedMessages(before, after.session).flatMap(listMessageFacts),
    ...after.notes.flatMap(listNoteFacts),
    ...after.actions.flatMap((action) => listActionFacts(action, event)),
  ];
  return facts.map((fact) => ({ seq, at: event.at, ...fact }));
}

/** The sessions before and after an event; null if only the event is known. */
type EventContext = { readonly before: Session | null; readonly after: Session | null };

type EventReader<Type extends EventType> = (
  event: EventOfType<Type>,
  context: EventContext,
) => readonly TranscriptFact[];

function listEventFacts(event: Event, context: EventContext): readonly TranscriptFact[] {
  // The mapped type guarantees that each reader accepts the event of its key.
  return (eventReaders[event.type] as EventReader<EventType>)(event, context);
}

/**
 * What each event says. This is the only list of events in all projections and their views: a new event does not compile
 * until it is listed here.
 */
const eventReaders: { readonly [Type in EventType]: EventReader<Type> } = {
  'user-message': ({ text, automatic }) => [
    { kind: 'message', author: automatic === true ? 'automatic' : 'user', text },
  ],
  steered: ({ text }) => [{ kind: 'message', author: 'steering', text }],
  'model-replied': (event, { before }) => [toReplyFact(event, before)],
  'model-failed': ({ at, error }, { before, after }) => [
    { kind: 'model-failure', error, tookMs: getWaitedMs(at, before), retry: findRetry(after) },
  ],
  'permission-decided': ({ callId, decision, reason = null }, { before }) => [
    { kind: 'permission', callId, call: findCall(before, callId), isAllowed: decision === 'allow', reason },
  ],
  'tool-started': ({ callId }, { before }) => [
    { kind: 'tool-start', callId, call: findCall(before, callId) },
  ],
  'tool-finished': (event, { before }) => [toToolResultFact(event, before)],
  'hooks-finished': ({ actionTaken }) => [{ kind: 'hooks', actionTaken }],
  'hooks-failed': ({ message }, { after }) => [
    { kind: 'work-failure', of: 'hooks', message, retry: findRetry(after) },
  ],
  'retry-due': () => [{ kind: 'retry' }],
  'recovery-finished': ({ outcome }) => [{ kind: 'recovery', outcome }],
  'paging-requested': ({ reason }) => [{ kind: 'compaction-request', reason }],
  'paging-finished': ({ freedTokens, heldTokens }) => [{ kind: 'compaction', freedTokens, heldTokens }],
  'paging-failed': ({ message }, { after }) => [
    { kind: 'work-failure', of: 'paging', message, retry: findRetry(after) },
  ],
  'memory-command-requested': ({ action, key }) => [{ kind: 'memory-command', action, key }],
  'finish-requested': ({ reason }) => [{ kind: 'request', request: 'finish', reason }],
  'pause-requested': ({ reason }) => [{ kind: 'request', request: 'pause', reason }],
  'resume-requested': () => [{ kind: 'request', request: 'resume', reason: null }],
  'cancel-requested': ({ reason = null }) => [{ kind: 'request', request: 'cancel', reason }],
  'halt-requested': ({ reason }) => [{ kind: 'request', request: 'halt', reason }],
  'shutdown-requested': () => [{ kind: 'request', request: 'shutdown', reason: null }],
  'text-delta': ({ text }) => [{ kind: 'text-delta', text }],
  'call-delta': ({ callId, tool, fragment }) => [{ kind: 'call-delta', callId, tool, fragment }],
  'tool-progressed': ({ callId, progress }) => [{ kind: 'tool-progress', callId, progress }],
  // In a step, the notes of these three events say what became of them.
  'phase-started': ({ number, description }, { after }) =>
    after === null ? [{ kind: 'phase-start', number, description }] : [],
  'phase-completed': ({ success }, { after }) =>
    after === null ? [{ kind: 'phase-end', number: null, success }] : [],
  'verdict-reached': ({ verdict }, { after }) => (after === null ? [{ kind: 'verdict', verdict }] : []),
};

function toReplyFact(event: EventOfType<'model-replied'>, before: Session | null): ReplyFact {
  const { text, calls, usage, problem } = event;
  const spokenLines = listSpokenLines(event, before);
  return { kind: 'reply', text, spokenLines, calls, usage, problem, tookMs: getWaitedMs(event.at, before) };
}

function toToolResultFact(event: EventOfType<'tool-finished'>, before: Session | null): ToolResultFact {
  const { callId, outcome, files = [], tests } = event;
  const match = before === null ? null : findCallInProgress(before.turn, callId);
  const startedAt = match?.startedAt ?? null;
  return {
    kind: 'tool-result',
    callId,
    call: match?.call ?? null,
    outcome,
    files: files.map(({ path }) => path),
    diffs: files.flatMap(({ diff }) => diff ?? []),
    tests,
    tookMs: startedAt === null ? null : event.at - startedAt,
  };
}

function findCall(before: Session | null, callId: string): ToolCall | null {
  return before === null ? null : (findCallInProgress(before.turn, callId)?.call ?? null);
}

function getWaitedMs(at: number, before: Session | null): number {
  return before === null ? 0 : at - getUnpausedTurn(before.turn).since;
}

function findRetry(after: Session | null): ScheduledRetry | null {
  const turn = after === null ? null : getUnpausedTurn(after.turn);
  if (turn?.status !== 'errorRecovery' || turn.origin === 'tool') return null;
  return { retries: turn.retries, retryAt: turn.retryAt };
}

const waitStatuses: ReadonlySet<TurnStatus> = new Set([
  'waitingForUser',
  'awaitingPermission',
  'errorRecovery',
  'paused',
]);

/** Nothing waits before the first user message. */
function listWaits(before: Session, notes: readonly Note[]): readonly TranscriptFact[] {
  if (getConversation(before).length === 0) return [];
  return notes.flatMap((note) =>
    note.type === 'transition' && note.durationMs !== 0 && waitStatuses.has(note.from)
      ? [{ kind: 'wait', status: note.from, tookMs: note.durationMs } as const]
      : [],
  );
}

function listMessageFacts(message: ConversationMessage): readonly TranscriptFact[] {
  switch (message.role) {
    case 'user':
      return [{ kind: 'delivered-message', text: message.text }];
    case 'assistant':
      return message.calls.map((call) => ({ kind: 'call', call }));
    case 'tool':
      return [{ kind: 'delivered-result', callId: message.callId, outcome: message.outcome }];
    default:
      return message satisfies never;
  }
}

function listNoteFacts(note: Note): readonly TranscriptFact[] {
  switch (note.type) {
    case 'verdict':
      return [{ kind: 'verdict', verdict: note.verdict }];
    case 'paged':
      return [{ kind: 'paging', movedEntries: note.moved.length, freedTokens: note.freedTokens }];
    case 'mode':
      return [{ kind: 'mode', from: note.from, to: note.to, cause: note.cause }];
    case 'phase-started':
      return [{ kind: 'phase-start', number: note.number, description: note.description }];
    case 'phase-completed':
      return [{ kind: 'phase-end', number: note.number, success: note.success }];
    case 'transition':
    case 'refused':
      return [];
    default:
      return note satisfies never;
  }
}

function listActionFacts(action: Action, event: Event): readonly TranscriptFact[] {
  switch (action.type) {
    case 'show-text':
      return event.type === 'text-delta' ? [] : [{ kind: 'notice', text: action.text }];
    case 'show-error':
      return [{ kind: 'error', errorKind: action.kind, message: action.message }];
    case 'stop':
      return [{ kind: 'halt', haltReason: action.haltReason }];
    default:
      return [];
  }
}

export type TranscriptTopic =
  | 'user'
  | 'model'
  | 'tool'
  | 'wait'
  | 'verdict'
  | 'memory'
  | 'phase'
  | 'mode'
  | 'session';

export function getItemTopic(item: TranscriptFact): TranscriptTopic {
  if (item.kind === 'work-failure') return item.of === 'paging' ? 'memory' : 'tool';
  return topicByKind[item.kind];
}

const topicByKind: { readonly [Kind in Exclude<TranscriptFact['kind'], 'work-failure'>]: TranscriptTopic } = {
  message: 'user',
  'delivered-message': 'user',
  reply: 'model',
  'model-failure': 'model',
  'text-delta': 'model',
  'call-delta': 'model',
  retry: 'model',
  call: 'tool',
  permission: 'tool',
  'tool-start': 'tool',
  'tool-progress': 'tool',
  'tool-result': 'tool',
  'delivered-result': 'tool',
  hooks: 'tool',
  'compaction-request': 'memory',
  compaction: 'memory',
  'memory-command': 'memory',
  paging: 'memory',
  wait: 'wait',
  verdict: 'verdict',
  mode: 'mode',
  'phase-start': 'phase',
  'phase-end': 'phase',
  recovery: 'session',
  request: 'session',
  notice: 'session',
  error: 'session',
  halt: 'session',
};

/** Whether the item reports a failure, a denial or a stuck session. */
export function isFailedItem(item: TranscriptFact): boolean {
  switch (item.kind) {
    case 'reply':
      return item.problem !== undefined;
    case 'permission':
      return !item.isAllowed;
    case 'tool-result':
    case 'delivered-result':
      return !item.outcome.ok;
    case 'phase-end':
      return !item.success;
    case 'verdict':
      return item.verdict.severity !== 'advise';
    case 'model-failure':
    case 'work-failure':
    case 'error':
    case 'halt':
      return true;
    default:
      return false;
  }
}

export function getItemDuration(item: TranscriptFact): number | null {
  return 'tookMs' in item ? item.tookMs : null;
}

/** Summarizes an item in one text. It may contain anything that a model or a tool wrote. */
export function summarizeItem(item: TranscriptFact): string {
  // The mapped type guarantees that each summarizer accepts the item of its key.
  return (itemSummarizers[item.kind] as ItemSummarizer<TranscriptFact['kind']>)(item);
}

type ItemSummarizer<Kind extends TranscriptFact['kind']> = (
  item: Extract<TranscriptFact, { readonly kind: Kind }>,
) => string;

const getText = ({ text }: { readonly text: string }): string => text;

const itemSummarizers: { readonly [Kind in TranscriptFact['kind']]: ItemSummarizer<Kind> } = {
  message: getText,
  'delivered-message': getText,
  notice: getText,
  'text-delta': getText,
  reply: summarizeReply,
  'model-failure': ({ error: { kind, message } }) => `${kind}: ${message}`,
  call: ({ call }) => formatCall(call, call.id),
  'call-delta': ({ tool, fragment }) => `${tool} ${fragment}`,
  permission: ({ callId, isAllowed, reason }) =>
    `${callId} ${isAllowed ? 'allowed' : 'denied'}${toSuffix(reason)}`,
  'tool-start': ({ call, callId }) => call?.tool ?? callId,
  'tool-progress': ({ callId, progress }) => `${callId} ${progress}`,
  'tool-result': summarizeToolResult,
  'delivered-result': ({ callId, outcome }) => `${callId} → ${formatOutcome(outcome)}`,
  hooks: ({ actionTaken }) => (actionTaken ? 'hooks ran' : 'hooks had nothing to do'),
  'work-failure': ({ of, message }) => `${of === 'hooks' ? 'hooks' : 'compaction'} failed: ${message}`,
  retry: () => 'retrying',
  recovery: ({ outcome }) => `recovery: ${outcome.kind}`,
  'compaction-request': ({ reason }) => `compaction requested: ${reason}`,
  compaction: ({ freedTokens }) => `compaction freed ${freedTokens} tokens`,
  'memory-command': ({ action, key }) => `requested: ${action} ${key}`,
  request: ({ request, reason }) => `${request} requested${toSuffix(reason)}`,
  wait: ({ status }) => waitLabels[status] ?? status,
  verdict: ({ verdict: { severity, rule, reason, response } }) =>
    `${severity} by ${rule}: ${reason}${response.kind === severity ? '' : ` (${response.kind})`}`,
  paging: ({ movedEntries, freedTokens }) =>
    `${movedEntries} entries moved to storage, ${freedTokens} tokens freed`,
  mode: ({ from, to, cause }) => `${from} → ${to} (${cause})`,
  'phase-start': ({ number, description }) => `phase ${number} started: ${description}`,
  'phase-end': ({ number, success }) =>
    `phase${number === null ? '' : ` ${number}`} ${success ? 'done' : 'failed'}`,
  error: ({ errorKind, message }) => `${errorKind}: ${message}`,
  halt: ({ haltReason: { reason } }) => `halted: ${reason}`,
};

/** Describes an event without its session, so that calls appear by id. */
export function describeEvent(event: Event): string {
  return listEventFacts(event, { before: null, after: null }).map(summarizeItem).join(' · ');
}

/** Whether a timeline of the session lists the item; the other items repeat one that it lists or announce the next. */
export function isTimelineItem(item: TranscriptFact): boolean {
  return item.kind === 'hooks' ? item.actionTaken : !repeatingKinds.has(item.kind);
}

const repeatingKinds: ReadonlySet<TranscriptFact['kind']> = new Set([
  'delivered-message',
  'call',
  'tool-start',
  'delivered-result',
  'retry',
  'notice',
  'error',
  'halt',
  'text-delta',
  'call-delta',
  'tool-progress',
]);

const waitLabels: { readonly [Status in TurnStatus]?: string } = {
  waitingForUser: 'for the user',
  awaitingPermission: 'for permission',
  errorRecovery: 'before trying again',
  paused: 'while paused',
};

function toSuffix(reason: string | null): string {
  return reason === null ? '' : `: ${reason}`;
}

function summarizeReply({ text, calls, usage, problem }: ReplyFact): string {
  const callText = calls.map((call) => formatCall(call, '')).join(', ');
  const tokens = usage === undefined ? '' : `[${usage.inputTokens} → ${usage.outputTokens} tokens] `;
  const parts = [problem && `invalid reply: ${problem}`, text.trim(), callText && `calls ${callText}`];
  const words = parts.filter((part) => part !== undefined && part !== '').join(' · ');
  return tokens + (words === '' ? 'empty reply' : words);
}

function summarizeToolResult({ callId, call, outcome, files, tests }: ToolResultFact): string {
  const changed = files.length === 0 ? '' : `; changed ${files.join(', ')}`;
  const tested = tests === undefined ? '' : `; ${tests.passed} tests passed, ${tests.failed} failed`;
  return `${formatCall(call, callId)} → ${formatOutcome(outcome)}${changed}${tested}`;
}

export function formatCall(
  call: { readonly tool: string; readonly args: Json } | null,
  callId: string,
): string {
  return call === null ? callId : `${call.tool} ${JSON.stringify(call.args)}`;
}

export function formatOutcome(outcome: ToolOutcome): string {
  if (!outcome.ok) return `${outcome.error.kind}: ${outcome.error.message}`;
  const { output } = outcome;
  return typeof output === 'string' ? output : JSON.stringify(output);
}

/** Lists the text that a reply addresses to the user; a reply that is all protocol has it in its logs. */
export function listSpokenLines(
  { text, logs, problem }: ModelReplied,
  session: Session | null,
): readonly string[] {
  if (problem !== undefined) return [];
  const isProtocol = session?.settings.chart?.transitions.by === 'reply';
  const lines = isProtocol ? [logs?.think ?? '', logs?.evaluation ?? ''] : [text];
  return lines.filter((line) => line !== '');
}
