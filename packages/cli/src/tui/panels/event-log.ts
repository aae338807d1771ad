import { formatClockTime } from '../../output/format-time.ts';
import type { LoggedEvent } from '../logged-events.ts';
import { truncateLine, createSegment, type StyledLine } from '../styled-line.ts';

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
