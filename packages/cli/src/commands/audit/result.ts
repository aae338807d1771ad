import type { Json, RuleSeverity } from '@pawl/core';
import { observeRecordedCall, type AuditVerdict } from '@pawl/governor/audit';
import type { RecordedRun, RecordedStep } from '@pawl/governor/traces';
import { isRunEnding } from '../learn/detector-score.ts';
import { formatCount } from '../../output/format-number.ts';

export type RunJudge = (run: RecordedRun) => readonly AuditVerdict[];

/** The small part of a judged run that the report needs. */
export type AuditedRun = {
  readonly id: string;
  readonly file: string;
  /** When the run started, in milliseconds since 1970, if the trace records it. */
  readonly startedAt: number | null;
  readonly source: string | null;
  readonly model: string | null;
  readonly success: boolean | null;
  /** Why it is unknown whether the run got stuck: what of it could not be read; null if nothing that matters. */
  readonly incomplete: string | null;
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
  /** The tool of the last evidence call; null if the evidence is replies without a call. */
  readonly tool: string | null;
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

const severityRanks: Record<RuleSeverity, number> = { advise: 1, block: 2, ask: 3, stop: 4 };

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
    startedAt: run.steps.find(({ at }) => at !== undefined)?.at ?? null,
    source: run.source ?? null,
    model: run.model ?? null,
    success: run.success ?? null,
    incomplete: run.incomplete ?? null,
    cost: computeRunCost(run.steps, prices),
    verdicts,
    decisiveVerdict: verdict === undefined ? null : buildDecisiveVerdict(run, verdict, prices),
  };
}

function findMostSevere(verdicts: readonly AuditVerdict[]): AuditVerdict | undefined {
  return verdicts.toSorted((a, b) => severityRanks[b.severity] - severityRanks[a.severity])[0];
}

function buildDecisiveVerdict(
  { steps }: RecordedRun,
  verdict: AuditVerdict,
  prices: AuditPrices,
): DecisiveVerdict {
  const since = verdict.evidence.reduce((first, step) => Math.min(first, step), verdict.step);
  const end = findStepIndex(steps, verdict.step);
  const last = steps[findStepIndex(steps, verdict.evidence.at(-1) ?? verdict.step)];
  return {
    ...verdict,
    isStuck: isRunEnding(verdict),
    since,
    spent: computeRunCost(steps, prices, Math.max(findStepIndex(steps, since), 0)),
    after: computeRunCost(steps, prices, end === -1 ? steps.length : end + 1),
    tool: last?.tool ?? null,
  };
}

/** Returns the index of the step with this number, which is usually the number itself. */
function findStepIndex(steps: readonly RecordedStep[], number: number): number {
  return steps[number]?.i === number ? number : steps.findIndex(({ i }) => i === number);
}

/** Returns the calls that prove a verdict; the run is needed because a judged run keeps only their numbers. */
export function buildVerdictProof(
  { steps }: RecordedRun,
  { evidence }: AuditVerdict,
): readonly EvidenceCall[] {
  return selectShownEvidence(evidence).flatMap((number) => {
    const step = steps[findStepIndex(steps, number)];
    return step === undefined ? [] : [toEvidenceCall(step)];
  });
}

function selectShownEvidence(evidence: readonly number[]): readonly number[] {
  const { first, last } = shownCallCounts;
  return evidence.length <= first + last ? evidence : [...evidence.slice(0, first), ...evidence.slice(-last)];
}

function toEvidenceCall(step: RecordedStep): EvidenceCall {
  const { i, tool, args, text, result } = step;
  return {
    step: i,
    tool: truncateEvidenceValue(tool),
    args: tool === undefined ? truncateEvidenceValue(text) : truncateEvidenceValue(args),
    result: truncateEvidenceValue(result),
    error: tool !== undefined && observeRecordedCall(step, tool).error !== null,
  };
}

function truncateEvidenceValue(value: Json | undefined): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= maxEvidenceCharacters) return text;
  // A copy, because a part of a string keeps the whole string in memory.
  return Buffer.from(text.slice(0, maxEvidenceCharacters), 'utf16le').toString('utf16le');
}

/** Prices per 1M tokens; null if not given. */
export type AuditPrices = { readonly input: number | null; readonly output: number | null };

/** The cost of a range of an agent's steps. */
export type RunCost = {
  readonly steps: number;
  readonly tokens: number;
  /** Null if the trace does not record input tokens. */
  readonly inputTokens: number | null;
  /** The part of the input that was read from a cache; null if the trace does not record it. */
  readonly cachedTokens: number | null;
  /** In the currency of the prices; null without prices. */
  readonly money: number | null;
};

/** Computes the cost of the agent's steps from an index on; user messages do not count. */
function computeRunCost(steps: readonly RecordedStep[], prices: AuditPrices, from = 0): RunCost {
  let [count, tokens] = [0, 0];
  let inputTokens: number | null = null;
  let cachedTokens: number | null = null;
  for (let index = from; index < steps.length; index += 1) {
    const step = steps[index];
    if (step === undefined || step.role !== 'assistant') continue;
    count += 1;
    tokens += step.tokens ?? 0;
    if (step.inputTokens !== undefined) inputTokens = (inputTokens ?? 0) + step.inputTokens;
    if (step.cachedTokens !== undefined) cachedTokens = (cachedTokens ?? 0) + step.cachedTokens;
  }
  return {
    steps: count,
    tokens,
    inputTokens,
    cachedTokens,
    money: computePrice(tokens, inputTokens ?? 0, prices),
  };
}

function computePrice(tokens: number, inputTokens: number, { input, output }: AuditPrices): number | null {
  if (input === null && output === null) return null;
  return (inputTokens * (input ?? 0) + tokens * (output ?? 0)) / 1_000_000;
}

export function addRunCosts(a: RunCost, b: RunCost): RunCost {
  return {
    steps: a.steps + b.steps,
    tokens: a.tokens + b.tokens,
    inputTokens: addNullable(a.inputTokens, b.inputTokens),
    cachedTokens: addNullable(a.cachedTokens, b.cachedTokens),
    money: addNullable(a.money, b.money),
  };
}

export const zeroRunCost: RunCost = {
  steps: 0,
  tokens: 0,
  inputTokens: null,
  cachedTokens: null,
  money: null,
};

function addNullable(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : a + b;
}

/** Formats steps and tokens, and the cost if there are prices. */
export function formatRunCost({ steps, tokens, money }: RunCost): string {
  const parts = [
    formatCount(steps, 'step'),
    `${formatTokenCount(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`,
  ];
  return parts.join(', ') + (money === null ? '' : ` for ${formatPlainMoney(money)}`);
}

/** Omits the currency, because it is whatever currency the prices are in. */
export function formatPlainMoney(money: number): string {
  return money.toFixed(money < 1 ? 4 : 2);
}

export function formatTokenCount(count: number): string {
  if (count < 10_000) return count.toLocaleString('en');
  return count < 1_000_000 ? `${(count / 1_000).toFixed(0)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

export type AuditTotals = {
  readonly runs: number;
  readonly stuck: number;
  /** Runs with verdicts that would not have ended them. */
  readonly warned: number;
  /** Runs without verdicts of which a part that matters could not be read. */
  readonly unknown: number;
  readonly cost: RunCost;
  /** Cost after the verdicts that would have ended runs. */
  readonly after: RunCost;
  /** Runs whose trace does not record input tokens. */
  readonly withoutInput: number;
  readonly problems: number;
};

export const emptyAuditTotals: AuditTotals = {
  runs: 0,
  stuck: 0,
  warned: 0,
  unknown: 0,
  cost: zeroRunCost,
  after: zeroRunCost,
  withoutInput: 0,
  problems: 0,
};

/** Whether nothing can be said about a run: it has no verdict, but only a part of it was read. */
export function isUnknownRun({ decisiveVerdict, incomplete }: AuditedRun): boolean {
  return decisiveVerdict === null && incomplete !== null;
}

export function addAuditedRun(totals: AuditTotals, run: AuditedRun): AuditTotals {
  const { decisiveVerdict, cost } = run;
  const isStuck = decisiveVerdict?.isStuck === true;
  return {
    ...totals,
    runs: totals.runs + 1,
    stuck: totals.stuck + (isStuck ? 1 : 0),
    warned: totals.warned + (decisiveVerdict !== null && !isStuck ? 1 : 0),
    unknown: totals.unknown + (isUnknownRun(run) ? 1 : 0),
    cost: addRunCosts(totals.cost, cost),
    after: isStuck ? addRunCosts(totals.after, decisiveVerdict.after) : totals.after,
    withoutInput: totals.withoutInput + (cost.inputTokens === null ? 1 : 0),
  };
}
