import { conversationOf, unpaused } from '@pawl/core';
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
  const told = [
    ...waits,
    ...eventPieces(event, before.turn),
    ...after.notes.flatMap((note) => notePieces(note)),
  ];
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
  if (note.type !== 'transition' || note.durationMs === 0) return [];
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

type EventOf<Type extends Event['type']> = Extract<Event, { readonly type: Type }>;
type Teller<Type extends Event['type']> = (event: EventOf<Type>, turn: Turn) => readonly Piece[];

function eventPieces(event: Event, turn: Turn): readonly Piece[] {
  // The table guarantees that the teller under an event's type takes that event.
  const tell = tellers[event.type] as Teller<Event['type']>;
  return tell(event, turn);
}

/** Told by a note, or when it ends, or never kept in a log. */
const untold = (): readonly Piece[] => [];

const wish = (event: { readonly type: string; readonly reason?: string }): readonly Piece[] => {
  const words = event.type.replace('-', ' ');
  return [{ what: 'session', text: event.reason === undefined ? words : `${words}: ${event.reason}` }];
};

const tellers: { readonly [Type in Event['type']]: Teller<Type> } = {
  'user-message': ({ text }) => [{ what: 'user', text }],
  steered: ({ text }) => [{ what: 'user', text }],
  'model-replied': (event, turn) => [replyPiece(event, turn)],
  'model-failed': ({ at, error: { kind, message } }, { since }) => [
    { what: 'model', text: `${kind}: ${message}`, tookMs: at - since, failed: true },
  ],
  'tool-finished': (event, turn) => [toolPiece(event, turn)],
  'permission-decided': ({ callId, decision, reason }) => {
    const failed = decision === 'deny';
    const because = reason === undefined ? '' : `: ${reason}`;
    return [{ what: 'tool', text: `${callId} ${failed ? 'denied' : 'allowed'}${because}`, failed }];
  },
  'hooks-finished': ({ actionTaken }) => (actionTaken ? [{ what: 'tool', text: 'hooks ran' }] : []),
  'hooks-failed': ({ message }) => [{ what: 'tool', text: `hooks failed: ${message}`, failed: true }],
  'recovery-finished': ({ outcome }) => [{ what: 'session', text: `recovery: ${outcome.kind}` }],
  'paging-requested': ({ reason }) => [{ what: 'memory', text: `room is to be made: ${reason}` }],
  'paging-finished': ({ freedTokens }) => [{ what: 'memory', text: `room was made: ${freedTokens} tokens` }],
  'paging-failed': ({ message }) => [
    { what: 'memory', text: `no room could be made: ${message}`, failed: true },
  ],
  'memory-asked': ({ action, key }) => [{ what: 'memory', text: `asked to ${action} ${key}` }],
  'verdict-reached': ({ verdict }) => [verdictPiece(verdict)],
  'finish-requested': wish,
  'pause-requested': wish,
  'cancel-requested': wish,
  'halt-requested': wish,
  'resume-requested': wish,
  'shutdown-requested': wish,
  'phase-started': untold,
  'phase-completed': untold,
  'tool-started': untold,
  'retry-due': untold,
  'text-delta': untold,
  'call-delta': untold,
  'tool-progressed': untold,
};

function replyPiece({ at, text, calls, usage, problem }: EventOf<'model-replied'>, turn: Turn): Piece {
  const asked = calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).join(', ');
  const tokens = usage === undefined ? '' : `[${usage.inputTokens} → ${usage.outputTokens} tokens] `;
  const said = [problem && `not understood: ${problem}`, text.trim(), asked && `asks for ${asked}`];
  const words = said.filter((part) => part !== undefined && part !== '').join(' · ');
  return {
    what: 'model',
    text: tokens + (words === '' ? 'nothing' : words),
    tookMs: at - turn.since,
    failed: problem !== undefined,
  };
}

function toolPiece({ at, callId, outcome, files = [], tests }: EventOf<'tool-finished'>, turn: Turn): Piece {
  const execution = executionOf(turn, callId);
  const changed = files.length === 0 ? '' : `; changed ${files.map(({ path }) => path).join(', ')}`;
  const tested = tests === undefined ? '' : `; ${tests.passed} tests passed, ${tests.failed} failed`;
  return {
    what: 'tool',
    text: `${callText(execution?.call, callId)} → ${outcomeText(outcome)}${changed}${tested}`,
    tookMs: durationOf(execution, at),
    failed: !outcome.ok,
  };
}

/** The call that an event is about, as it stands in the state before the event. */
export function executionOf(turn: Turn, callId: string): Execution | undefined {
  const held = unpaused(turn);
  if (held.status !== 'executingTools') return undefined;
  return held.executions.find(({ call }) => call.id === callId);
}

/** How long a call took that ends at this time; null where it is not known when it began. */
export function durationOf(execution: Execution | undefined, at: number): number | null {
  const startedAt = execution?.status === 'running' ? execution.startedAt : null;
  return startedAt === null ? null : at - startedAt;
}

export function callText(
  call: { readonly tool: string; readonly args: Json } | undefined,
  callId: string,
): string {
  return call === undefined ? callId : `${call.tool} ${JSON.stringify(call.args)}`;
}

export function outcomeText(outcome: Outcome): string {
  if (!outcome.ok) return `${outcome.error.kind}: ${outcome.error.message}`;
  const { output } = outcome;
  return typeof output === 'string' ? output : JSON.stringify(output);
}
