import type { AuditLevel, AuditVerdict, Json, RecordedRun, RecordedStep } from '@pawl/core';
import { costOf, type Cost } from './audit-cost.ts';
import type { Prices } from './audit-options.ts';
import { isEnding } from '../learn/score.ts';

export type Judge = (run: RecordedRun) => readonly AuditVerdict[];

/** What is kept of a run once it has been judged: a little, and enough to report on it. */
export type AuditedRun = {
  readonly id: string;
  readonly file: string;
  readonly source: string | null;
  readonly model: string | null;
  readonly success: boolean | null;
  readonly cost: Cost;
  readonly verdicts: readonly AuditVerdict[];
  readonly finding: AuditFinding | null;
};

/** The verdict that matters: the one that would have ended the run, or else the gravest. */
export type AuditFinding = AuditVerdict & {
  /** Whether it would have ended the run. */
  readonly isStuck: boolean;
  /** The first of the steps that prove it. */
  readonly since: number;
  /** What the run cost from there on. */
  readonly spent: Cost;
  /** What came after the verdict: what ending it there would have saved. */
  readonly after: Cost;
  readonly proof: readonly ProvingCall[];
};

export type ProvingCall = {
  readonly step: number;
  readonly tool: string;
  readonly args: string;
  readonly result: string;
  readonly error: boolean;
};

/** The first and the last calls of a proof are shown; a hundred in between would show the same once more. */
const callsShown = { first: 5, last: 3 } as const;

/** Characters kept of an argument or a result. No terminal shows more of it on a line. */
const textMax = 500;

const gravity: Record<AuditLevel, number> = { nudge: 1, block: 2, ask: 3, stop: 4 };

export function auditRun(run: RecordedRun, file: string, judge: Judge, prices: Prices): AuditedRun {
  const verdicts = judge(run);
  const verdict = verdicts.find(isEnding) ?? gravest(verdicts);
  return {
    id: run.id,
    file,
    source: run.source ?? null,
    model: run.model ?? null,
    success: run.success ?? null,
    cost: costOf(run.steps, prices),
    verdicts,
    finding: verdict === undefined ? null : findingOf(run, verdict, prices),
  };
}

function gravest(verdicts: readonly AuditVerdict[]): AuditVerdict | undefined {
  return verdicts.toSorted((a, b) => gravity[b.level] - gravity[a.level])[0];
}

function findingOf({ steps }: RecordedRun, verdict: AuditVerdict, prices: Prices): AuditFinding {
  const since = verdict.evidence.reduce((first, step) => Math.min(first, step), verdict.step);
  const begin = steps.findIndex(({ i }) => i === since);
  const end = steps.findIndex(({ i }) => i === verdict.step);
  return {
    ...verdict,
    isStuck: isEnding(verdict),
    since,
    spent: costOf(steps.slice(Math.max(begin, 0)), prices),
    after: costOf(end === -1 ? [] : steps.slice(end + 1), prices),
    proof: shownOf(verdict.evidence).flatMap((number) => {
      const step = steps.find(({ i }) => i === number);
      return step === undefined ? [] : [callOf(step)];
    }),
  };
}

function shownOf(evidence: readonly number[]): readonly number[] {
  const { first, last } = callsShown;
  return evidence.length <= first + last ? evidence : [...evidence.slice(0, first), ...evidence.slice(-last)];
}

function callOf({ i, tool, args, text, result, error }: RecordedStep): ProvingCall {
  return {
    step: i,
    tool: (tool ?? '').slice(0, textMax),
    args: tool === undefined ? opening(text) : opening(args),
    result: opening(result),
    error: error === true,
  };
}

function opening(value: Json | undefined): string {
  if (value === undefined) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, textMax);
}
