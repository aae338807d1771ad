import { clockTime, duration } from '../../app/format.ts';
import { visibleLine } from '../../app/visible.ts';
import type { Tone } from '../../app/tones.ts';
import type { Span, SpanKind } from './timeline-model.ts';

/** A span on one line: what, which try, when, how long, and how it ended. */
export function spanText({ label, from, to, attempt, dueAt, ending, kind }: Span, now: number): string {
  const tried = attempt !== null && (attempt > 1 || kind === 'retry') ? `try ${attempt}` : null;
  const due = dueAt === null ? null : `next try at ${clockTime(dueAt)}`;
  const long = duration(Math.max(0, (to?.at ?? now) - from.at));
  return [
    visibleLine(label, 80),
    tried,
    `at ${clockTime(from.at)}`,
    to === null ? `for ${long} so far` : long,
    due,
    ending === 'ok' ? null : ending,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

export const toneOfSpan: Readonly<Record<SpanKind, Tone>> = {
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
