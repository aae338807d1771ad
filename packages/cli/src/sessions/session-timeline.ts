import {
  type CallExecution,
  type Event,
  type EventOfType,
  getConversation,
  getUnpausedTurn,
  type Json,
  type Note,
  type ToolOutcome,
  type TurnState,
  type TurnStatus,
  type Verdict,
} from '@pawl/core';
import type { ReplayedEvent } from './session-replay.ts';

/** One timeline entry, on one line. Texts are raw: the caller must sanitize them before display. */
export type TimelineEntry = {
  readonly seq: number;
  readonly at: number;
  readonly what: 'user' | 'model' | 'tool' | 'wait' | 'verdict' | 'memory' | 'phase' | 'mode' | 'session';
  readonly text: string;
  readonly tookMs: number | null;
  readonly failed: boolean;
};

/**
 * Converts an event and its notes to timeline entries. Many events have none; a call, for example, is reported when it
 * ends.
 */
export function toTimelineEntries({ seq, event, before, after }: ReplayedEvent): readonly TimelineEntry[] {
  const { at } = event;
  // Nothing waits before the first user message.
  const waits = getConversation(before).length === 0 ? [] : after.notes.flatMap((note) => toWaitItem(note));
  const items = [
    ...waits,
    ...toEventItems(event, before.turn),
    ...after.notes.flatMap((note) => toNoteItems(note)),
  ];
  return items.map(({ what, text, tookMs = null, failed = false }) => ({
    seq,
    at,
    what,
    text: text.length > maxTimelineText ? `${text.slice(0, maxTimelineText)}…` : text,
    tookMs,
    failed,
  }));
}

/** Maximum text length of an entry; the log has the full text. */
const maxTimelineText = 2_000;

type TimelineItem = Pick<TimelineEntry, 'what' | 'text'> & Partial<Pick<TimelineEntry, 'tookMs' | 'failed'>>;

const timelineWaitLabels: { readonly [Status in TurnStatus]?: string } = {
  waitingForUser: 'for the user',
  awaitingPermission: 'for permission',
  errorRecovery: 'before trying again',
  paused: 'while paused',
};

function toWaitItem(note: Note): readonly TimelineItem[] {
  if (note.type !== 'transition' || note.durationMs === 0) return [];
  const what = timelineWaitLabels[note.from];
  return what === undefined ? [] : [{ what: 'wait', text: what, tookMs: note.durationMs }];
}

function toNoteItems(note: Note): readonly TimelineItem[] {
  switch (note.type) {
    case 'verdict':
      return [toVerdictItem(note.verdict)];
    case 'paged':
      return [
        {
          what: 'memory',
          text: `${note.moved.length} entries moved to storage, ${note.freedTokens} tokens freed`,
        },
      ];
    case 'mode':
      return [{ what: 'mode', text: `${note.from} → ${note.to} (${note.cause})` }];
    case 'phase-started':
      return [{ what: 'phase', text: `phase ${note.number} started: ${note.description}` }];
    case 'phase-completed':
      return [
        {
          what: 'phase',
          text: `phase ${note.number} ${note.success ? 'done' : 'failed'}`,
          failed: !note.success,
        },
      ];
    case 'transition':
    case 'refused':
      return [];
    default:
      return note satisfies never;
  }
}

function toVerdictItem({ severity, rule, reason, response }: Verdict): TimelineItem {
  return {
    what: 'verdict',
    text: `${severity} by ${rule}: ${reason} (${response.kind})`,
    failed: severity !== 'advise',
  };
}

type EventDescriber<Type extends Event['type']> = (
  event: EventOfType<Type>,
  turn: TurnState,
) => readonly TimelineItem[];

function toEventItems(event: Event, turn: TurnState): readonly TimelineItem[] {
  // The mapped type guarantees that each describer accepts the event of its key.
  const describe = eventDescribers[event.type] as EventDescriber<Event['type']>;
  return describe(event, turn);
}

/** For events that a note covers, that are reported when they end, or that are never logged. */
const describeNothing = (): readonly TimelineItem[] => [];

const describeRequest = (event: {
  readonly type: string;
  readonly reason?: string;
}): readonly TimelineItem[] => {
  const words = event.type.replace('-', ' ');
  return [{ what: 'session', text: event.reason === undefined ? words : `${words}: ${event.reason}` }];
};

const eventDescribers: { readonly [Type in Event['type']]: EventDescriber<Type> } = {
  'user-message': ({ text }) => [{ what: 'user', text }],
  steered: ({ text }) => [{ what: 'user', text }],
  'model-replied': (event, turn) => [toReplyItem(event, turn)],
  'model-failed': ({ at, error: { kind, message } }, { since }) => [
    { what: 'model', text: `${kind}: ${message}`, tookMs: at - since, failed: true },
  ],
  'tool-finished': (event, turn) => [toToolItem(event, turn)],
  'permission-decided': ({ callId, decision, reason }) => {
    const failed = decision === 'deny';
    const suffix = reason === undefined ? '' : `: ${reason}`;
    return [{ what: 'tool', text: `${callId} ${failed ? 'denied' : 'allowed'}${suffix}`, failed }];
  },
  'hooks-finished': ({ actionTaken }) => (actionTaken ? [{ what: 'tool', text: 'hooks ran' }] : []),
  'hooks-failed': ({ message }) => [{ what: 'tool', text: `hooks failed: ${message}`, failed: true }],
  'recovery-finished': ({ outcome }) => [{ what: 'session', text: `recovery: ${outcome.kind}` }],
  'paging-requested': ({ reason }) => [{ what: 'memory', text: `compaction requested: ${reason}` }],
  'paging-finished': ({ freedTokens }) => [
    { what: 'memory', text: `compaction freed ${freedTokens} tokens` },
  ],
  'paging-failed': ({ message }) => [{ what: 'memory', text: `compaction failed: ${message}`, failed: true }],
  'memory-command-requested': ({ action, key }) => [{ what: 'memory', text: `requested: ${action} ${key}` }],
  'verdict-reached': ({ verdict }) => [toVerdictItem(verdict)],
  'finish-requested': describeRequest,
  'pause-requested': describeRequest,
  'cancel-requested': describeRequest,
  'halt-requested': describeRequest,
  'resume-requested': describeRequest,
  'shutdown-requested': describeRequest,
  'phase-started': describeNothing,
  'phase-completed': describeNothing,
  'tool-started': describeNothing,
  'retry-due': describeNothing,
  'text-delta': describeNothing,
  'call-delta': describeNothing,
  'tool-progressed': describeNothing,
};

function toReplyItem(
  { at, text, calls, usage, problem }: EventOfType<'model-replied'>,
  turn: TurnState,
): TimelineItem {
  const callText = calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).join(', ');
  const tokens = usage === undefined ? '' : `[${usage.inputTokens} → ${usage.outputTokens} tokens] `;
  const parts = [problem && `invalid reply: ${problem}`, text.trim(), callText && `calls ${callText}`];
  const words = parts.filter((part) => part !== undefined && part !== '').join(' · ');
  return {
    what: 'model',
    text: tokens + (words === '' ? 'empty reply' : words),
    tookMs: at - turn.since,
    failed: problem !== undefined,
  };
}

function toToolItem(
  { at, callId, outcome, files = [], tests }: EventOfType<'tool-finished'>,
  turn: TurnState,
): TimelineItem {
  const execution = findExecution(turn, callId);
  const changed = files.length === 0 ? '' : `; changed ${files.map(({ path }) => path).join(', ')}`;
  const tested = tests === undefined ? '' : `; ${tests.passed} tests passed, ${tests.failed} failed`;
  return {
    what: 'tool',
    text: `${formatCall(execution?.call, callId)} → ${formatOutcome(outcome)}${changed}${tested}`,
    tookMs: getExecutionDuration(execution, at),
    failed: !outcome.ok,
  };
}

/** Finds the execution of a call in the turn state before the event. */
export function findExecution(turn: TurnState, callId: string): CallExecution | undefined {
  const activeTurn = getUnpausedTurn(turn);
  if (activeTurn.status !== 'executingTools') return undefined;
  return activeTurn.executions.find(({ call }) => call.id === callId);
}

/** Returns the duration of a call that ends at this time; null if its start is unknown. */
export function getExecutionDuration(execution: CallExecution | undefined, at: number): number | null {
  const startedAt = execution?.status === 'running' ? execution.startedAt : null;
  return startedAt === null ? null : at - startedAt;
}

export function formatCall(
  call: { readonly tool: string; readonly args: Json } | undefined,
  callId: string,
): string {
  return call === undefined ? callId : `${call.tool} ${JSON.stringify(call.args)}`;
}

export function formatOutcome(outcome: ToolOutcome): string {
  if (!outcome.ok) return `${outcome.error.kind}: ${outcome.error.message}`;
  const { output } = outcome;
  return typeof output === 'string' ? output : JSON.stringify(output);
}
