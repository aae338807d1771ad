import type { Event } from '@pawl/core';
import { describeEvent, isFailedItem, isTimelineItem } from '@pawl/core/projections';
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

/** Whether the event reports a failure or led to a verdict that the agent is stuck. */
export function isFailedEntry({ items }: Pick<ReplayedEntry, 'items'>): boolean {
  return items.some((item) => isTimelineItem(item) && isFailedItem(item));
}

/** Summarizes an event in one line, without the state that it met. */
export function summarizeEvent(event: Event): string {
  return toSafeLine(describeEvent(event));
}
