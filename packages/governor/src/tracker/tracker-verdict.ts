import type { RuleSeverity } from '../rules/rule.ts';
import { isStuckVerdict, type Verdict } from '../verdicts/verdict.ts';
import { type NexoraDetectorState, listNexoraVerdicts } from './nexora.ts';
import type { TrackerDetectorState } from './presets.ts';
import type { SavantDetectorState } from './savant.ts';

/** A verdict of a tracker rule. `loop` identifies the condition, so that it is reported once. */
export type TrackerVerdict = Omit<Verdict, 'response'> & { readonly loop: string };

/**
 * Whether the work makes progress. `stuck` is true for every severity above `advise`, which is only a warning.
 * `evidence` lists the numbers of the calls that prove it.
 */
export type StuckReport = {
  readonly stuck: boolean;
  readonly severity: RuleSeverity | 'none';
  readonly rule: string | null;
  readonly reason: string;
  readonly advice: string;
  readonly evidence: readonly number[];
};

const healthyReport: StuckReport = {
  stuck: false,
  severity: 'none',
  rule: null,
  reason: '',
  advice: '',
  evidence: [],
};

export function toStuckReport(verdict: TrackerVerdict | undefined): StuckReport {
  if (verdict === undefined) return healthyReport;
  const { severity, rule, reason, advice, evidence } = verdict;
  return { stuck: isStuckVerdict(verdict), severity, rule, reason, advice, evidence };
}

/** How the host of the loop responds to a verdict: advise the model, recover, halt, or stop with an answer. */
export type TrackerJudgment = {
  readonly verdict: TrackerVerdict;
  readonly response: 'advise' | 'recover' | 'halt' | 'stop';
};

/** Judges a tracker's state. `found` are new verdicts; `hasEnded` says whether a call ended. */
export function judgeTracker(
  detector: TrackerDetectorState,
  found: readonly TrackerVerdict[],
  hasEnded: boolean,
): TrackerJudgment | null {
  switch (detector.kind) {
    case 'nexora':
      return judgeNexora(detector, found, hasEnded);
    case 'savant':
      return judgeSavant(detector, found);
    case 'pawl':
      // The session itself judges pawl rules, without a tracker.
      return null;
    default:
      return detector satisfies never;
  }
}

/** While a stuck verdict holds, each ended call requests another recovery, if the rule allows it. */
function judgeNexora(
  detector: NexoraDetectorState,
  found: readonly TrackerVerdict[],
  hasEnded: boolean,
): TrackerJudgment | null {
  const hard = hasEnded ? listNexoraVerdicts(detector).find(isStuckVerdict) : undefined;
  if (hard !== undefined) {
    const isRecoverable = detector.config.recoverableRules.includes(hard.rule);
    return { verdict: hard, response: isRecoverable ? 'recover' : 'halt' };
  }
  const [soft] = found;
  return soft === undefined ? null : { verdict: soft, response: 'advise' };
}

/** The held verdict ends the work; any other new verdict is the advice given first. */
function judgeSavant(
  { pendingVerdict, finish }: SavantDetectorState,
  found: readonly TrackerVerdict[],
): TrackerJudgment | null {
  const stop = pendingVerdict ?? (finish?.reason === 'stuck_detection' ? finish.verdict : null);
  if (stop !== null) {
    return { verdict: { ...stop, reason: `stuck_detection: ${stop.reason}` }, response: 'stop' };
  }
  const [soft] = found;
  return soft === undefined ? null : { verdict: soft, response: 'advise' };
}
