import type { AuditSeverity, AuditVerdict, Json, RecordedRun, RecordedStep } from '@pawl/core';
import { computeRunCost, type RunCost } from './audit-cost.ts';
import type { AuditPrices } from './audit-options.ts';
import { isRunEnding } from '../learn/detector-score.ts';

export type RunJudge = (run: RecordedRun) => readonly AuditVerdict[];

/** The small part of a judged run that the report needs. */
export type AuditedRun = {
  readonly id: string;
  readonly file: string;
  readonly source: string | null;
  readonly model: string | null;
  readonly success: boolean | null;
  readonly cost: RunCost;
  readonly verdicts: readonly AuditVerdict[];
  readonly decisiveVerdict: DecisiveVerdict | null;
};

/** The decisive verdict: the one that would have ended the run, or else the most severe. */
export type DecisiveVerdict = AuditVerdict & {
  readonly isStuck: boolean;
  /** The first evidence step. */
  readonly since: number;
  /** Cost of the run from `since` on. */
  readonly spent: RunCost;
  /** Cost after the verdict: what stopping there would have saved. */
  readonly after: RunCost;
  readonly proof: readonly EvidenceCall[];
};

export type EvidenceCall = {
  readonly step: number;
  readonly tool: string;
  readonly args: string;
  readonly result: string;
  readonly error: boolean;
};

/** Only the first and last evidence calls are shown, because the ones between repeat them. */
const shownCallCounts = { first: 5, last: 3 } as const;

/** Maximum characters stored of an argument or a result; no terminal shows more on one line. */
const maxEvidenceCharacters = 500;

const auditSeverity: Record<AuditSeverity, number> = { nudge: 1, block: 2, ask: 3, stop: 4 };

export function auditRecordedRun(
  run: RecordedRun,
  file: string,
  judge: RunJudge,
  prices: AuditPrices,
): AuditedRun {
  const verdicts = judge(run);
  const verdict = verdicts.find(isRunEnding) ?? findMostSevere(verdicts);
  return {
    id: run.id,
    file,
    source: run.source ?? null,
    model: run.model ?? null,
    success: run.success ?? null,
    cost: computeRunCost(run.steps, prices),
    verdicts,
    decisiveVerdict: verdict === undefined ? null : buildDecisiveVerdict(run, verdict, prices),
  };
}

function findMostSevere(verdicts: readonly AuditVerdict[]): AuditVerdict | undefined {
  return verdicts.toSorted((a, b) => auditSeverity[b.level] - auditSeverity[a.level])[0];
}

function buildDecisiveVerdict(
  { steps }: RecordedRun,
  verdict: AuditVerdict,
  prices: AuditPrices,
): DecisiveVerdict {
  const since = verdict.evidence.reduce((first, step) => Math.min(first, step), verdict.step);
  const start = steps.findIndex(({ i }) => i === since);
  const end = steps.findIndex(({ i }) => i === verdict.step);
  return {
    ...verdict,
    isStuck: isRunEnding(verdict),
    since,
    spent: computeRunCost(steps.slice(Math.max(start, 0)), prices),
    after: computeRunCost(end === -1 ? [] : steps.slice(end + 1), prices),
    proof: selectShownEvidence(verdict.evidence).flatMap((number) => {
      const step = steps.find(({ i }) => i === number);
      return step === undefined ? [] : [toEvidenceCall(step)];
    }),
  };
}

function selectShownEvidence(evidence: readonly number[]): readonly number[] {
  const { first, last } = shownCallCounts;
  return evidence.length <= first + last ? evidence : [...evidence.slice(0, first), ...evidence.slice(-last)];
}

function toEvidenceCall({ i, tool, args, text, result, error }: RecordedStep): EvidenceCall {
  return {
    step: i,
    tool: (tool ?? '').slice(0, maxEvidenceCharacters),
    args: tool === undefined ? truncateEvidenceValue(text) : truncateEvidenceValue(args),
    result: truncateEvidenceValue(result),
    error: error === true,
  };
}

function truncateEvidenceValue(value: Json | undefined): string {
  if (value === undefined) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, maxEvidenceCharacters);
}
