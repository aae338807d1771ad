import type { Verdict } from '../governor/verdict.ts';

/** What a rule of a tracker found. `loop` tells this condition from every other, so that it is raised once. */
export type TrackerVerdict = Omit<Verdict, 'response'> & { readonly loop: string };

/**
 * Whether the work moves. `stuck` is true only for what should stop the work; `suspect` is worth a warning, and the work
 * may go on. Evidence is made of the numbers of the calls that prove it.
 */
export type StuckReport = {
  readonly stuck: boolean;
  readonly level: 'healthy' | 'suspect' | 'stuck';
  readonly rule: string | null;
  readonly reason: string;
  readonly advice: string;
  readonly evidence: readonly number[];
};

const healthy: StuckReport = {
  stuck: false,
  level: 'healthy',
  rule: null,
  reason: '',
  advice: '',
  evidence: [],
};

export function reportOf(verdict: TrackerVerdict | undefined): StuckReport {
  if (verdict === undefined) return healthy;
  const { level, rule, reason, advice, evidence } = verdict;
  return { stuck: level === 'stuck', level, rule, reason, advice, evidence };
}
