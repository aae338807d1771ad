import { conversationOf } from '@pawl/core';
import type { Event, Execution, Json, Note, Outcome, Turn, TurnStatus, Verdict } from '@pawl/core';
import type { Walked } from './show-walk.ts';

/** One thing that happened, on one line. Texts are as they came: whoever shows them makes them safe to look at. */
export type TimelineEntry = {
  readonly seq: number;
  readonly at: number;
  readonly what: 'user' | 'model' | 'tool' | 'wait' | 'verdict' | 'memory' | 'phase' | 'mode' | 'session';
  readonly text: string;
  readonly tookMs: number | null;
  readonly failed: boolean;
};

/** What an event and what came of it are worth telling. Many are worth nothing: that a call started is told when it ends. */
export function timelineOf({ seq, event, before, after }: Walked): readonly TimelineEntry[] {
  const { at } = event;
  // Nobody has waited for what the user said first.
  const waits = conversationOf(before).length === 0 ? [] : after.notes.flatMap((note) => waitIn(note));
  const told = [...waits, ...eventPieces(event, before.turn), ...after.notes.flatMap((note) => notePieces(note))];
  return told.map(({ what, text, tookMs = null, failed = false }) => ({
    seq,
    at,
    what,
    text: text.length > textMax ? `${text.slice(0, textMax)}…` : text,
    tookMs,
    failed,
  }));
}

/** More of a text than anybody reads on one line; the log has it whole. */
const textMax = 2_000;

type Piece = Pick<TimelineEntry, 'what' | 'text'> & Partial<Pick<TimelineEntry, 'tookMs' | 'failed'>>;

const waitedFor: { readonly [Status in TurnStatus]?: string } = {
  waitingForUser: 'for the user',
  awaitingPermission: 'for permission',
  errorRecovery: 'before trying again',
  paused: 'while paused',
};

function waitIn(note: Note): readonly Piece[] {
  if (note.type !== 'transition') return [];
  const what = waitedFor[note.from];
  return what === undefined ? [] : [{ what: 'wait', text: what, tookMs: note.durationMs }];
}

function notePieces(note: Note): readonly Piece[] {
  switch (note.type) {
    case 'verdict':
      return [verdictPiece(note.verdict)];
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
      return [{ what: 'phase', text: `phase ${note.number} begins: ${note.description}` }];
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

function verdictPiece({ level, rule, reason, response }: Verdict): Piece {
  return {
    what: 'verdict',
    text: `${level} by ${rule}: ${reason} (${response.kind})`,
    failed: level === 'stuck',
  };
}

type EventsOf<Type extends Event['type']> = Extract<Event, { readonly type: Type }>;

function eventPieces(event: Event, turn: Turn): readonly Piece[] {
  switch (event.type) {
    case 'user-message':
      return [{ what: 'user', text: event.text }];
    case 'model-replied':
      return [replyPiece(event, turn)];
    case 'model-failed': {
      const { kind, message } = event.error;
      return [{ what: 'model', text: `${kind}: ${message}`, tookMs: event.at - turn.since, failed: true }];
    }
    case 'tool-finished':
      return [toolPiece(event, turn)];
    case 'permission-decided':
    case 'hooks-finished':
    case 'hooks-failed':
    case 'recovery-finished':
    case 'paging-requested':
    case 'paging-finished':
    case 'paging-failed':
      return workPieces(event);
    case 'finish-requested':
    case 'pause-requested':
    case 'cancel-requested':
    case 'halt-requested':
    case 'resume-requested':
    case 'shutdown-requested':
      return [{ what: 'session', text: wishText(event) }];
    case 'verdict-reached':
      return [verdictPiece(event.verdict)];
    // Phases are told by their notes; a call and a retry when they end; the rest is never in a log.
    case 'phase-started':
    case 'phase-completed':
    case 'tool-started':
    case 'retry-due':
    case 'text-delta':
    case 'call-delta':
    case 'tool-progressed':
      return [];
    default:
      return event satisfies never;
  }
}

function replyPiece({ at, text, calls, usage, problem }: EventsOf<'model-replied'>, turn: Turn): Piece {
  const asked = calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).join(', ');
  const tokens = usage === undefined ? '' : `[${usage.inputTokens} → ${usage.outputTokens} tokens] `;
  const said = [problem === undefined ? '' : `not understood: ${problem}`, text.trim(), asked && `asks for ${asked}`];
  const words = said.filter((part) => part !== '').join(' · ');
  return {
    what: 'model',
    text: tokens + (words === '' ? 'nothing' : words),
    tookMs: at - turn.since,
    failed: problem !== undefined,
  };
}

function toolPiece({ at, callId, outcome, files = [], tests }: EventsOf<'tool-finished'>, turn: Turn): Piece {
  const execution = executionOf(turn, callId);
  const startedAt = execution?.status === 'running' ? execution.startedAt : null;
  const changed = files.length === 0 ? '' : `; changed ${files.map(({ path }) => path).join(', ')}`;
  const tested = tests === undefined ? '' : `; ${tests.passed} tests passed, ${tests.failed} failed`;
  return {
    what: 'tool',
    text: `${callText(execution?.call, callId)} → ${outcomeText(outcome)}${changed}${tested}`,
    tookMs: startedAt === null ? null : at - startedAt,
    failed: !outcome.ok,
  };
}

function workPieces(
  event: EventsOf<
    | 'permission-decided'
    | 'hooks-finished'
    | 'hooks-failed'
    | 'recovery-finished'
    | 'paging-requested'
    | 'paging-finished'
    | 'paging-failed'
  >,
): readonly Piece[] {
  switch (event.type) {
    case 'permission-decided': {
      const because = event.reason === undefined ? '' : `: ${event.reason}`;
      const isDenied = event.decision === 'deny';
      return [
        { what: 'tool', text: `${event.callId} ${isDenied ? 'denied' : 'allowed'}${because}`, failed: isDenied },
      ];
    }
    case 'hooks-finished':
      return event.actionTaken ? [{ what: 'tool', text: 'hooks ran' }] : [];
    case 'hooks-failed':
      return [{ what: 'tool', text: `hooks failed: ${event.message}`, failed: true }];
    case 'recovery-finished':
      return [{ what: 'session', text: `recovery: ${event.outcome.kind}` }];
    case 'paging-requested':
      return [{ what: 'memory', text: `room is to be made: ${event.reason}` }];
    case 'paging-finished':
      return [{ what: 'memory', text: `room was made: ${event.freedTokens} tokens` }];
    case 'paging-failed':
      return [{ what: 'memory', text: `no room could be made: ${event.message}`, failed: true }];
    default:
      return event satisfies never;
  }
}

function wishText(
  event: EventsOf<
    | 'finish-requested'
    | 'pause-requested'
    | 'cancel-requested'
    | 'halt-requested'
    | 'resume-requested'
    | 'shutdown-requested'
  >,
): string {
  const words = event.type.replace('-', ' ');
  return 'reason' in event && event.reason !== undefined ? `${words}: ${event.reason}` : words;
}

/** The call that an event is about, as it stands in the state before the event. */
export function executionOf(turn: Turn, callId: string): Execution | undefined {
  const held = turn.status === 'paused' ? turn.held : turn;
  if (held.status !== 'executingTools') return undefined;
  return held.executions.find(({ call }) => call.id === callId);
}

export function callText(call: { readonly tool: string; readonly args: Json } | undefined, callId: string): string {
  return call === undefined ? callId : `${call.tool} ${JSON.stringify(call.args)}`;
}

export function outcomeText(outcome: Outcome): string {
  if (!outcome.ok) return `${outcome.error.kind}: ${outcome.error.message}`;
  const { output } = outcome;
  return typeof output === 'string' ? output : JSON.stringify(output);
}
