import { isEphemeral, type Session } from '@pawl/core';
import type { Seen } from '@pawl/runtime';
import { executionOf, timelineOf } from '../commands/show-timeline.ts';
import { clipped } from './plain.ts';

/** An event of the log, on one line. */
export type LoggedEvent = {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly text: string;
  readonly failed: boolean;
};

/** The view of the log goes back so far; `pawl show` has all of it. */
export const eventsMax = 1_000;

const textMax = 300;

/** The log with one more event, if it was one to be kept. */
export function withEvent(
  events: readonly LoggedEvent[],
  before: Session,
  seen: Seen,
): readonly LoggedEvent[] {
  const { event, session } = seen;
  if (isEphemeral(event) || session.seq === before.seq) return events;
  const line = { seq: session.seq, at: event.at, type: event.type, ...summaryOf(before, seen) };
  const recent = events.length >= eventsMax * 1.25 ? events.slice(1 - eventsMax) : events;
  return [...recent, line];
}

function summaryOf(before: Session, seen: Seen): Pick<LoggedEvent, 'text' | 'failed'> {
  try {
    const entries = timelineOf({ seq: seen.session.seq, event: seen.event, before, after: seen });
    const told = entries.filter(({ what }) => what !== 'wait');
    const text = told.map((entry) => entry.text.slice(0, textMax)).join(' · ') || begunIn(seen);
    return { text: clipped(text, textMax).replaceAll('\n', ' '), failed: told.some(({ failed }) => failed) };
  } catch {
    // Arguments nested deeper than the engine can write out.
    return { text: '', failed: false };
  }
}

/** That a call begins is no news in a timeline, but here every event has its line. */
function begunIn({ event, session }: Seen): string {
  return event.type === 'tool-started' ? (executionOf(session.turn, event.callId)?.call.tool ?? '') : '';
}
