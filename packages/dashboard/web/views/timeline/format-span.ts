import { formatLocalClock, formatElapsedTime } from '../../app/format.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import type { ColorTone } from '../../app/tones.ts';
import type { TimelineSpan, TimelineSpanKind } from './timeline-model.ts';

/** Formats a span in one line: label, attempt, start, duration and result. */
export function formatSpan(
  { label, from, to, attempt, dueAt, ending, kind }: TimelineSpan,
  now: number,
): string {
  const tried = attempt !== null && (attempt > 1 || kind === 'retry') ? `try ${attempt}` : null;
  const due = dueAt === null ? null : `next try at ${formatLocalClock(dueAt)}`;
  const long = formatElapsedTime(Math.max(0, (to?.at ?? now) - from.at));
  return [
    toSafeLine(label, 80),
    tried,
    `at ${formatLocalClock(from.at)}`,
    to === null ? `for ${long} so far` : long,
    due,
    ending === 'ok' ? null : ending,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

export const toneBySpanKind: Readonly<Record<TimelineSpanKind, ColorTone>> = {
  model: 'model',
  tool: 'tools',
  hooks: 'hook',
  user: 'user',
  permission: 'permission',
  pause: 'paused',
  retry: 'recovery',
  recovery: 'governor',
  paging: 'paging',
};
