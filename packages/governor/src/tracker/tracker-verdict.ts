import type { Verdict } from '../verdict.ts';

/** A verdict of a tracker rule. `loop` identifies the condition, so that it is reported once. */
export type TrackerVerdict = Omit<Verdict, 'response'> & { readonly loop: string };

/**
 * Whether the work makes progress. `stuck` is true only for a verdict that should stop the work; `suspect` deserves a
 * warning, and the work may continue. `evidence` lists the numbers of the calls that prove it.
 */
export type StuckReport = {
  readonly stuck: boolean;
  readonly level: 'healthy' | 'suspect' | 'stuck';
  readonly rule: string | null;
  readonly reason: string;
  readonly advice: string;
  readonly evidence: readonly number[];
};

const healthyReport: StuckReport = {
  stuck: false,
  level: 'healthy',
  rule: null,
  reason: '',
  advice: '',
  evidence: [],
};

export function toStuckReport(verdict: TrackerVerdict | undefined): StuckReport {
  if (verdict === undefined) return healthyReport;
  const { level, rule, reason, advice, evidence } = verdict;
  return { stuck: level === 'stuck', level, rule, reason, advice, evidence };
}
