import { getGoalText, type Event, type Session } from '@pawl/core';
import type { SessionRow } from './rows.ts';

export function createRowSummary({ profile, turn }: Session, createdAt: number): SessionRow['summary'] {
  const { status } = turn;
  return { profile: toSummaryLine(profile), goal: null, status, createdAt, updatedAt: createdAt, steps: 0 };
}

/** Returns the summary after additional events. */
export function updateRowSummary(
  before: SessionRow['summary'],
  events: readonly Event[],
  after: Session,
): SessionRow['summary'] {
  return {
    ...before,
    status: after.turn.status,
    goal: before.goal ?? findGoal(events),
    updatedAt: events.at(-1)?.at ?? before.updatedAt,
    steps: before.steps + events.filter(({ type }) => type === 'model-replied').length,
  };
}

function findGoal(events: readonly Event[]): string | null {
  for (const event of events) {
    const text = getGoalText(event);
    if (text !== null) return toSummaryLine(text);
  }
  return null;
}

const summaryLengthMax = 200;

/** Truncates a text and removes characters that a database would not return unchanged. */
function toSummaryLine(text: string): string {
  return text.slice(0, summaryLengthMax).replaceAll('\0', ' ').toWellFormed();
}
