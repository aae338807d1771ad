import { formatDateTime } from '../../output/format-time.ts';
import type { SessionStats } from './session.ts';
import type { SessionVerdictFeedback } from '../../sessions/verdict-feedback.ts';

/** The sessions started on a day, and the feedback given on it. */
export type DayStats = {
  /** In the local time zone, for example 2026-03-01. */
  readonly day: string;
  readonly sessions: number;
  readonly answered: number;
  readonly stuck: number;
  readonly steps: number;
  readonly effective: number;
  readonly tokens: number;
  /** Tokens spent in loops, from the first repetition on. */
  readonly loopTokens: number;
  readonly right: number;
  readonly wrong: number;
};

/** Lists every day with activity, in chronological order. */
export function computeDailyStats(
  all: readonly SessionStats[],
  marks: readonly Pick<SessionVerdictFeedback, 'at' | 'mark'>[],
): readonly DayStats[] {
  const sessions = Map.groupBy(all, ({ createdAt }) => toDay(createdAt));
  const feedbackByDay = Map.groupBy(marks, ({ at }) => toDay(at));
  return [...new Set([...sessions.keys(), ...feedbackByDay.keys()])]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((day) => computeDayStats(day, sessions.get(day) ?? [], feedbackByDay.get(day) ?? []));
}

function toDay(at: number): string {
  return formatDateTime(at).split(' ', 1)[0] ?? '';
}

function computeDayStats(
  day: string,
  sessions: readonly SessionStats[],
  marks: readonly Pick<SessionVerdictFeedback, 'mark'>[],
): DayStats {
  const sum = (getNumber: (session: SessionStats) => number): number =>
    sessions.reduce((total, session) => total + getNumber(session), 0);
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
