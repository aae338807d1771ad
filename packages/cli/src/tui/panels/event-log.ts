import { clockTime } from '../../commands/show-time.ts';
import type { LoggedEvent } from '../event-lines.ts';
import { fitted, seg, type Line } from '../line.ts';

/** The log from one row on: number, time, event, and what is worth knowing of it. */
export function eventLog(events: readonly LoggedEvent[], columns: number): readonly Line[] {
  if (events.length === 0) return [[seg('   Nothing has happened since this view was opened.', 'dim')]];
  return events.map(({ seq, at, type, text, failed }) =>
    fitted(
      [
        seg(`${String(seq).padStart(7)}  ${clockTime(at)}  `, 'dim'),
        seg(type.padEnd(19), failed ? 'bad' : 'plain'),
        seg(text, 'dim'),
      ],
      columns,
    ),
  );
}
