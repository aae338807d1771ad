import type { SpanKind } from '@pawl/core/projections';
import { formatLocalClock, formatElapsedTime } from '../../app/format.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import type { ColorTone } from '../../app/tones.ts';
import type { TimelineSpan } from './timeline-model.ts';

/** Formats a span in one line: label, attempt, start, duration and result. */
export function formatSpan(
  { label, from, to, attempt, dueAt, outcome, kind }: TimelineSpan,
  now: number,
): string {
  const attemptLabel = attempt !== null && (attempt > 1 || kind === 'retry') ? `attempt ${attempt}` : null;
  const dueLabel = dueAt === null ? null : `next attempt at ${formatLocalClock(dueAt)}`;
  const duration = formatElapsedTime(Math.max(0, (to?.at ?? now) - from.at));
  return [
    toSafeLine(label, 80),
    attemptLabel,
    `at ${formatLocalClock(from.at)}`,
    to === null ? `for ${duration} so far` : duration,
    dueLabel,
    outcome === 'ok' ? null : outcome,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

export const toneBySpanKind: Readonly<Record<SpanKind, ColorTone>> = {
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
