import type { Action, Event, EventType, Note, VerdictResponse, Verdict } from '@pawl/core';
import { formatCount } from '../../app/format.ts';
import type { ColorTone } from '../../app/tones.ts';

/** A line between messages and tool cards: a verdict, a phase, a failure or a user request. */
export type TranscriptNotice = NoticeContent & {
  readonly kind: 'notice';
  readonly seq: number;
  readonly at: number;
};

type NoticeContent = {
  readonly tone: ColorTone;
  readonly title: string;
  readonly text: string;
  /** The view with more details, if any. */
  readonly view: 'why' | 'memory' | null;
};

/** Returns the notice for a note, or null if it is not worth a line. */
export function toNoteNotice(seq: number, note: Note): TranscriptNotice | null {
  return createNotice(seq, note.at, describeNote(note));
}

/** Returns the notice for an event that neither a message nor a tool card shows. */
export function toEventNotice(seq: number, event: Event): TranscriptNotice | null {
  // The table type guarantees that each writer accepts the event type it is listed under.
  const writeNotice = noticeWriters[event.type] as NoticeWriter<EventType> | undefined;
  return createNotice(seq, event.at, writeNotice === undefined ? null : writeNotice(event));
}

/** Returns the notice for an error or a stop action. */
export function toActionNotice(seq: number, at: number, action: Action): TranscriptNotice | null {
  if (action.type === 'show-error') {
    return createNotice(seq, at, createNoticeContent('halted', 'Error', `${action.kind}: ${action.message}`));
  }
  if (action.type !== 'stop') return null;
  const { kind, reason, rule } = action.haltReason;
  const by = rule === null ? '' : ` (${rule})`;
  return createNotice(
    seq,
    at,
    createNoticeContent('halted', `Halted: ${kind}${by}`, reason, rule === null ? null : 'why'),
  );
}

function createNotice(seq: number, at: number, content: NoticeContent | null): TranscriptNotice | null {
  return content === null ? null : { kind: 'notice', seq, at, ...content };
}

function createNoticeContent(
  tone: ColorTone,
  title: string,
  text = '',
  view: NoticeContent['view'] = null,
): NoticeContent {
  return { tone, title, text, view };
}

function describeNote(note: Note): NoticeContent | null {
  switch (note.type) {
    case 'verdict':
      return describeVerdictNotice(note.verdict);
    case 'paged': {
      const { moved, freedTokens } = note;
      return createNoticeContent(
        'memory',
        `${formatCount(moved.length, 'entry', 'entries')} moved to storage`,
        `${freedTokens} tokens freed`,
        'memory',
      );
    }
    case 'mode':
      return note.from === note.to
        ? null
        : createNoticeContent('phase', `Mode ${note.from} → ${note.to}`, note.cause);
    case 'phase-started':
      return createNoticeContent('phase', `Phase ${note.number} started`, note.description);
    case 'phase-completed':
      return note.success
        ? createNoticeContent('done', `Phase ${note.number} completed`)
        : createNoticeContent('halted', `Phase ${note.number} failed`);
    case 'transition':
    case 'refused':
      return null;
    default:
      return note satisfies never;
  }
}

const responseLabels: Readonly<Record<VerdictResponse['kind'], string>> = {
  advise: 'advises',
  block: 'blocks the call',
  run: 'runs a remedy',
  recover: 'starts a recovery',
  ask: 'asks you',
  stop: 'requests the final answer',
  halt: 'halts the session',
};

function describeVerdictNotice({ severity, rule, reason, response }: Verdict): NoticeContent {
  const label = severity === 'advise' ? 'Warning' : 'Stuck';
  return createNoticeContent(
    'governor',
    `${label}: ${rule} · the governor ${responseLabels[response.kind]}`,
    reason,
    'why',
  );
}

type NoticeWriter<Type extends EventType> = (event: Extract<Event, { readonly type: Type }>) => NoticeContent;

const noticeWriters: { readonly [Type in EventType]?: NoticeWriter<Type> } = {
  'model-failed': ({ error }) =>
    createNoticeContent('recovery', `Model call failed: ${error.kind}`, error.message),
  'hooks-failed': ({ message }) => createNoticeContent('recovery', 'Hooks failed', message),
  'paging-failed': ({ message }) => createNoticeContent('recovery', 'Paging failed', message),
  'paging-finished': ({ freedTokens }) =>
    createNoticeContent('memory', 'Compaction finished', `${freedTokens} tokens freed`, 'memory'),
  'memory-command-requested': ({ action, key }) =>
    createNoticeContent('memory', `Memory: ${action} ${key} requested`, '', 'memory'),
  'recovery-finished': ({ outcome }) => createNoticeContent('recovery', `Recovery: ${outcome.kind}`),
  'finish-requested': ({ reason }) => createNoticeContent('done', 'Finish requested', reason),
  'pause-requested': ({ reason }) => createNoticeContent('paused', 'Paused', reason),
  'resume-requested': () => createNoticeContent('paused', 'Resumed'),
  'cancel-requested': ({ reason }) => createNoticeContent('halted', 'Cancelled', reason),
  'halt-requested': ({ reason }) => createNoticeContent('halted', 'Halt requested', reason),
  'shutdown-requested': () => createNoticeContent('check', 'Shut down'),
};
