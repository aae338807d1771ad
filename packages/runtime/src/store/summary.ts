import type { Event, Session } from '@pawl/core';
import type { SessionRow } from './rows.ts';

export function summaryOf({ profile, turn }: Session, createdAt: number): SessionRow['summary'] {
  const { status } = turn;
  return { profile: line(profile), goal: null, status, createdAt, updatedAt: createdAt, steps: 0 };
}

/** The summary after some more events. */
export function summarised(
  before: SessionRow['summary'],
  events: readonly Event[],
  after: Session,
): SessionRow['summary'] {
  return {
    ...before,
    status: after.turn.status,
    goal: before.goal ?? goalIn(events),
    updatedAt: events.at(-1)?.at ?? before.updatedAt,
    steps: before.steps + events.filter(({ type }) => type === 'model-replied').length,
  };
}

function goalIn(events: readonly Event[]): string | null {
  for (const event of events) if (isPersonsWord(event)) return line(event.text);
  return null;
}

function isPersonsWord(event: Event): event is Extract<Event, { type: 'user-message' | 'steered' }> {
  return event.type === 'steered' || (event.type === 'user-message' && event.automatic !== true);
}

const lengthMax = 200;

/** The beginning of a text, without what a database would not give back. */
function line(text: string): string {
  return text.slice(0, lengthMax).replaceAll('\0', ' ').toWellFormed();
}
