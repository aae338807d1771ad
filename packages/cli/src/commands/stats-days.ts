import { dateTime } from './show-time.ts';
import type { SessionStats } from './stats-session.ts';
import type { VerdictMark } from './verdict-marks.ts';

/** The sessions that began on a day, and the marks that were made on it. */
export type DayStats = {
  /** In the time zone of this machine, such as 2026-03-01. */
  readonly day: string;
  readonly sessions: number;
  readonly answered: number;
  readonly stuck: number;
  readonly steps: number;
  readonly effective: number;
  readonly tokens: number;
  /** Tokens that went into loops, from the second time on. */
  readonly loopTokens: number;
  readonly right: number;
  readonly wrong: number;
};

/** Every day on which there was anything, the first first. */
export function daysOf(
  all: readonly SessionStats[],
  marks: readonly Pick<VerdictMark, 'at' | 'mark'>[],
): readonly DayStats[] {
  const sessions = Map.groupBy(all, ({ createdAt }) => dayOf(createdAt));
  const marked = Map.groupBy(marks, ({ at }) => dayOf(at));
  return [...new Set([...sessions.keys(), ...marked.keys()])]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((day) => dayStats(day, sessions.get(day) ?? [], marked.get(day) ?? []));
}

function dayOf(at: number): string {
  return dateTime(at).split(' ', 1)[0] ?? '';
}

function dayStats(
  day: string,
  sessions: readonly SessionStats[],
  marks: readonly Pick<VerdictMark, 'mark'>[],
): DayStats {
  const sum = (numberOf: (session: SessionStats) => number): number =>
    sessions.reduce((total, session) => total + numberOf(session), 0);
  return {
    day,
    sessions: sessions.length,
    answered: sessions.filter(({ how }) => how === 'answered').length,
    stuck: sessions.filter(({ how }) => how === 'stuck').length,
    steps: sum(({ steps }) => steps),
    effective: sum(({ effective }) => effective),
    tokens: sum(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    loopTokens: sum(({ loops }) => loops.reduce((total, { tokens }) => total + tokens, 0)),
    right: marks.filter(({ mark }) => mark === 'right').length,
    wrong: marks.filter(({ mark }) => mark === 'wrong').length,
  };
}
