import { isEphemeralEvent, type Session } from '@pawl/core';
import { isFailedItem, isTimelineItem, summarizeItem, type TranscriptItem } from '@pawl/core/projections';
import type { StepResult } from '@pawl/runtime';
import { elideMiddle, truncateLine, createSegment, type StyledLine } from './styled-line.ts';
import { formatClockTime } from '../output/format-time.ts';

/** A logged event on one line. */
export type LoggedEvent = {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly text: string;
  readonly failed: boolean;
};

/** Maximum number of events in the log view; `pawl show` has all of them. */
export const maxLoggedEvents = 1_000;

const maxLoggedText = 300;

/** Appends an event to the list if the log persists it. */
export function appendLoggedEvent(
  events: readonly LoggedEvent[],
  { before, result, items }: LoggedStep,
): readonly LoggedEvent[] {
  const { event, session } = result;
  if (isEphemeralEvent(event) || session.seq === before.seq) return events;
  const line = { seq: session.seq, at: event.at, type: event.type, ...summarizeLoggedEvent(items) };
  const recent = events.length >= maxLoggedEvents * 1.25 ? events.slice(1 - maxLoggedEvents) : events;
  return [...recent, line];
}

/** A step and what happened in it. */
type LoggedStep = {
  readonly before: Session;
  readonly result: StepResult;
  readonly items: readonly TranscriptItem[];
};

/** A timeline omits the start of a call, but here every event has a line. */
function summarizeLoggedEvent(items: readonly TranscriptItem[]): Pick<LoggedEvent, 'text' | 'failed'> {
  const visible = items.filter(
    (item) => (isTimelineItem(item) && item.kind !== 'wait') || item.kind === 'tool-start',
  );
  try {
    const text = visible.map((item) => summarizeItem(item).slice(0, maxLoggedText)).join(' · ');
    return {
      text: elideMiddle(text, maxLoggedText).replaceAll('\n', ' '),
      failed: visible.some(isFailedItem),
    };
  } catch {
    // The arguments are nested too deeply to stringify.
    return { text: '', failed: false };
  }
}

/** Renders logged events, one per row: number, time, type and summary. */
export function renderEventLog(events: readonly LoggedEvent[], columns: number): readonly StyledLine[] {
  if (events.length === 0) return [[createSegment('   No events since this view was opened.', 'dim')]];
  return events.map(({ seq, at, type, text, failed }) =>
    truncateLine(
      [
        createSegment(`${String(seq).padStart(7)}  ${formatClockTime(at)}  `, 'dim'),
        createSegment(type.padEnd(19), failed ? 'bad' : 'plain'),
        createSegment(text, 'dim'),
      ],
      columns,
    ),
  );
}
