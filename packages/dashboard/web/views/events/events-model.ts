import type { Event, EventType, Json, Outcome } from '@pawl/core';
import type { Entry, Track } from '../../app/track.ts';
import { visibleLine } from '../../app/visible.ts';

/** Which events are listed. */
export type EventFilter = {
  readonly group: EventGroup;
  readonly isFailedOnly: boolean;
  /** Words that the event must have in it, anywhere. */
  readonly text: string;
};

export const eventGroups = ['all', 'you', 'model', 'tools', 'governor', 'memory', 'control'] as const;

export type EventGroup = (typeof eventGroups)[number];

export const everything: EventFilter = { group: 'all', isFailedOnly: false, text: '' };

/** The events of a track that pass a filter, read as the track grows. */
export class EventList {
  /** Places in the track. */
  readonly places: number[] = [];
  readonly #track: Track;
  readonly #passes: (entry: Entry) => boolean;
  #read = 0;

  constructor(track: Track, filter: EventFilter) {
    this.#track = track;
    this.#passes = passing(filter);
  }

  readOn(): this {
    for (; this.#read < this.#track.length; this.#read += 1) {
      if (this.#passes(this.#track.entry(this.#read))) this.places.push(this.#read);
    }
    return this;
  }

  /** The row of the event of that number, or of the last one before it; -1 if all come later. */
  rowAt(seq: number): number {
    const place = seq - this.#track.first;
    let low = 0;
    let high = this.places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.places[middle] ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function passing({ group, isFailedOnly, text }: EventFilter): (entry: Entry) => boolean {
  const words = text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  return (entry) =>
    (group === 'all' || groupsOf(entry).includes(group)) &&
    (!isFailedOnly || isFailure(entry)) &&
    (words.length === 0 || hasAll(entry, words));
}

function hasAll({ event, notes }: Entry, words: readonly string[]): boolean {
  const whole = JSON.stringify([event, notes]).toLowerCase();
  return words.every((word) => whole.includes(word));
}

function groupsOf({ event, notes }: Entry): readonly EventGroup[] {
  const own = groupOf(event);
  return notes.some(({ type }) => type === 'verdict') ? [own, 'governor'] : [own];
}

function groupOf({ type }: Event): EventGroup {
  if (type === 'user-message' || type === 'steered') return 'you';
  if (type.startsWith('model-') || type === 'retry-due') return 'model';
  if (type.startsWith('tool-') || type.startsWith('hooks-') || type === 'permission-decided') return 'tools';
  if (type === 'verdict-reached' || type === 'recovery-finished') return 'governor';
  return type.startsWith('paging-') || type === 'memory-asked' ? 'memory' : 'control';
}

/** Whether the event says that something did not work out, or a verdict came of it. */
export function isFailure({ event, notes }: Entry): boolean {
  switch (event.type) {
    case 'tool-finished':
      return !event.outcome.ok;
    case 'model-replied':
      return event.problem !== undefined;
    case 'permission-decided':
      return event.decision === 'deny';
    case 'phase-completed':
      return !event.success;
    case 'model-failed':
    case 'hooks-failed':
    case 'paging-failed':
      return true;
    default:
      return notes.some((note) => note.type === 'verdict' && note.verdict.level === 'stuck');
  }
}

/** What an event says, on one line. */
export function eventSummary(event: Event): string {
  return visibleLine(summaryText(event));
}

type EventOf<Type extends EventType> = Extract<Event, { readonly type: Type }>;
type Teller<Type extends EventType> = (event: EventOf<Type>) => string;

function summaryText(event: Event): string {
  // The table guarantees that the teller under an event's type takes that event.
  return (tellers[event.type] as Teller<EventType>)(event);
}

const textOf = ({ text }: { readonly text: string }): string => text;
const reasonOf = ({ reason = '' }: { readonly reason?: string }): string => reason;
const messageOf = ({ message }: { readonly message: string }): string => message;
const nothing = (): string => '';

const tellers: { readonly [Type in EventType]: Teller<Type> } = {
  'user-message': textOf,
  steered: textOf,
  'text-delta': textOf,
  'call-delta': ({ tool, fragment }) => `${tool} ${fragment}`,
  'model-replied': replyText,
  'model-failed': ({ error: { kind, message } }) => `${kind}: ${message}`,
  'permission-decided': ({ callId, decision, reason }) =>
    `${callId} ${decision}${reason === undefined ? '' : `: ${reason}`}`,
  'tool-started': ({ callId }) => callId,
  'tool-progressed': ({ callId, progress }) => `${callId} ${progress}`,
  'tool-finished': ({ callId, outcome }) => `${callId} → ${outcomeText(outcome)}`,
  'hooks-finished': ({ actionTaken }) => (actionTaken ? 'did something' : 'nothing to do'),
  'hooks-failed': messageOf,
  'retry-due': nothing,
  'recovery-finished': ({ outcome }) => outcome.kind,
  'paging-requested': reasonOf,
  'paging-finished': ({ freedTokens }) => `${freedTokens} tokens freed`,
  'paging-failed': messageOf,
  'memory-asked': ({ action, key }) => `${action} ${key}`,
  'phase-started': ({ number, description }) => `${number}: ${description}`,
  'phase-completed': ({ success }) => (success ? 'done' : 'failed'),
  'verdict-reached': ({ verdict: { level, rule, reason } }) => `${level} by ${rule}: ${reason}`,
  'finish-requested': reasonOf,
  'pause-requested': reasonOf,
  'resume-requested': nothing,
  'cancel-requested': reasonOf,
  'halt-requested': reasonOf,
  'shutdown-requested': nothing,
};

function replyText({ text, calls, problem }: EventOf<'model-replied'>): string {
  const asked = calls.map(({ tool, args }) => `${tool} ${shortJson(args)}`).join(', ');
  return [problem === undefined ? '' : `not understood: ${problem}`, text.trim(), asked]
    .filter((part) => part !== '')
    .join(' · ');
}

export function outcomeText(outcome: Outcome): string {
  if (!outcome.ok) return `${outcome.error.kind}: ${outcome.error.message}`;
  return typeof outcome.output === 'string' ? outcome.output : shortJson(outcome.output);
}

function shortJson(value: Json): string {
  return JSON.stringify(value);
}
