import { isEphemeralEvent, type Session } from '@pawl/core';
import type { StepResult } from '@pawl/runtime';
import { findExecution, toTimelineEntries } from '../sessions/session-timeline.ts';
import { elideMiddle } from './plain-text.ts';

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
  before: Session,
  result: StepResult,
): readonly LoggedEvent[] {
  const { event, session } = result;
  if (isEphemeralEvent(event) || session.seq === before.seq) return events;
  const line = { seq: session.seq, at: event.at, type: event.type, ...summarizeLoggedEvent(before, result) };
  const recent = events.length >= maxLoggedEvents * 1.25 ? events.slice(1 - maxLoggedEvents) : events;
  return [...recent, line];
}

function summarizeLoggedEvent(before: Session, result: StepResult): Pick<LoggedEvent, 'text' | 'failed'> {
  try {
    const entries = toTimelineEntries({
      seq: result.session.seq,
      event: result.event,
      before,
      after: result,
    });
    const visible = entries.filter(({ what }) => what !== 'wait');
    const text =
      visible.map((entry) => entry.text.slice(0, maxLoggedText)).join(' · ') || getStartedTool(result);
    return {
      text: elideMiddle(text, maxLoggedText).replaceAll('\n', ' '),
      failed: visible.some(({ failed }) => failed),
    };
  } catch {
    // The arguments are nested too deeply to stringify.
    return { text: '', failed: false };
  }
}

/** The timeline omits the start of a call, but here every event has a line. */
function getStartedTool({ event, session }: StepResult): string {
  return event.type === 'tool-started' ? (findExecution(session.turn, event.callId)?.call.tool ?? '') : '';
}
