import type { Event, EventOfType, EventType, Json, ToolOutcome } from '@pawl/core';
import type { ReplayedEntry, ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { toSafeLine } from '../../app/safe-text.ts';

/** Filter of the event list. */
export type EventFilter = {
  readonly group: EventGroup;
  readonly isFailedOnly: boolean;
  /** Words that the event must contain anywhere. */
  readonly text: string;
};

export const eventGroups = ['all', 'you', 'model', 'tools', 'governor', 'memory', 'control'] as const;

export type EventGroup = (typeof eventGroups)[number];

export const allEventsFilter: EventFilter = { group: 'all', isFailedOnly: false, text: '' };

/** The events of a timeline that match a filter, updated as the timeline grows. */
export class EventList {
  /** Indices in the timeline. */
  readonly indices: number[] = [];
  readonly #timeline: ReplayedTimeline;
  readonly #matches: (entry: ReplayedEntry) => boolean;
  #processed = 0;

  constructor(timeline: ReplayedTimeline, filter: EventFilter) {
    this.#timeline = timeline;
    this.#matches = createEventMatcher(filter);
  }

  update(): this {
    for (; this.#processed < this.#timeline.length; this.#processed += 1) {
      if (this.#matches(this.#timeline.entry(this.#processed))) this.indices.push(this.#processed);
    }
    return this;
  }

  /** Returns the row of the given event, or of the last listed event before it; -1 if there is none. */
  rowAt(seq: number): number {
    const index = seq - this.#timeline.first;
    let low = 0;
    let high = this.indices.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.indices[middle] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function createEventMatcher({ group, isFailedOnly, text }: EventFilter): (entry: ReplayedEntry) => boolean {
  const words = text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  return (entry) =>
    (group === 'all' || listEntryGroups(entry).includes(group)) &&
    (!isFailedOnly || isFailedEntry(entry)) &&
    (words.length === 0 || hasAllWords(entry, words));
}

function hasAllWords({ event, notes }: ReplayedEntry, words: readonly string[]): boolean {
  const json = JSON.stringify([event, notes]).toLowerCase();
  return words.every((word) => json.includes(word));
}

function listEntryGroups({ event, notes }: ReplayedEntry): readonly EventGroup[] {
  const own = getEventGroup(event);
  return notes.some(({ type }) => type === 'verdict') ? [own, 'governor'] : [own];
}

function getEventGroup({ type }: Event): EventGroup {
  if (type === 'user-message' || type === 'steered') return 'you';
  if (type.startsWith('model-') || type === 'retry-due') return 'model';
  if (type.startsWith('tool-') || type.startsWith('hooks-') || type === 'permission-decided') return 'tools';
  if (type === 'verdict-reached' || type === 'recovery-finished') return 'governor';
  return type.startsWith('paging-') || type === 'memory-command-requested' ? 'memory' : 'control';
}

/** Whether the event reports a failure or led to a verdict. */
export function isFailedEntry({ event, notes }: ReplayedEntry): boolean {
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
      return notes.some((note) => note.type === 'verdict' && note.verdict.severity !== 'advise');
  }
}

/** Summarizes an event in one line. */
export function summarizeEvent(event: Event): string {
  return toSafeLine(getEventText(event));
}

type EventSummarizer<Type extends EventType> = (event: EventOfType<Type>) => string;

function getEventText(event: Event): string {
  // The table type guarantees that each summarizer accepts the event type it is listed under.
  return (eventSummarizers[event.type] as EventSummarizer<EventType>)(event);
}

const getEventTextField = ({ text }: { readonly text: string }): string => text;
const getReasonField = ({ reason = '' }: { readonly reason?: string }): string => reason;
const getMessageField = ({ message }: { readonly message: string }): string => message;
const getNoText = (): string => '';

const eventSummarizers: { readonly [Type in EventType]: EventSummarizer<Type> } = {
  'user-message': getEventTextField,
  steered: getEventTextField,
  'text-delta': getEventTextField,
  'call-delta': ({ tool, fragment }) => `${tool} ${fragment}`,
  'model-replied': formatReply,
  'model-failed': ({ error: { kind, message } }) => `${kind}: ${message}`,
  'permission-decided': ({ callId, decision, reason }) =>
    `${callId} ${decision}${reason === undefined ? '' : `: ${reason}`}`,
  'tool-started': ({ callId }) => callId,
  'tool-progressed': ({ callId, progress }) => `${callId} ${progress}`,
  'tool-finished': ({ callId, outcome }) => `${callId} → ${formatOutcome(outcome)}`,
  'hooks-finished': ({ actionTaken }) => (actionTaken ? 'action taken' : 'no action'),
  'hooks-failed': getMessageField,
  'retry-due': getNoText,
  'recovery-finished': ({ outcome }) => outcome.kind,
  'paging-requested': getReasonField,
  'paging-finished': ({ freedTokens }) => `${freedTokens} tokens freed`,
  'paging-failed': getMessageField,
  'memory-command-requested': ({ action, key }) => `${action} ${key}`,
  'phase-started': ({ number, description }) => `${number}: ${description}`,
  'phase-completed': ({ success }) => (success ? 'done' : 'failed'),
  'verdict-reached': ({ verdict: { severity, rule, reason } }) => `${severity} by ${rule}: ${reason}`,
  'finish-requested': getReasonField,
  'pause-requested': getReasonField,
  'resume-requested': getNoText,
  'cancel-requested': getReasonField,
  'halt-requested': getReasonField,
  'shutdown-requested': getNoText,
};

function formatReply({ text, calls, problem }: EventOfType<'model-replied'>): string {
  const callTexts = calls.map(({ tool, args }) => `${tool} ${toCompactJson(args)}`).join(', ');
  return [problem === undefined ? '' : `unreadable: ${problem}`, text.trim(), callTexts]
    .filter((part) => part !== '')
    .join(' · ');
}

export function formatOutcome(outcome: ToolOutcome): string {
  if (!outcome.ok) return `${outcome.error.kind}: ${outcome.error.message}`;
  return typeof outcome.output === 'string' ? outcome.output : toCompactJson(outcome.output);
}

function toCompactJson(value: Json): string {
  return JSON.stringify(value);
}
