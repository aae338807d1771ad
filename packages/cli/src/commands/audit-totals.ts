import { addCosts, noCost, type Cost } from './audit-cost.ts';
import type { AuditedRun } from './audit-result.ts';

export type AuditTotals = {
  readonly runs: number;
  readonly stuck: number;
  /** Runs with verdicts that would not have ended them. */
  readonly warned: number;
  readonly cost: Cost;
  /** What came after the verdicts that would have ended runs. */
  readonly after: Cost;
  /** Runs whose trace does not say how much the model was given to read. */
  readonly withoutInput: number;
  readonly problems: number;
};

export const noTotals: AuditTotals = {
  runs: 0,
  stuck: 0,
  warned: 0,
  cost: noCost,
  after: noCost,
  withoutInput: 0,
  problems: 0,
};

export function addRun(totals: AuditTotals, { finding, cost }: AuditedRun): AuditTotals {
  const isStuck = finding?.isStuck === true;
  return {
    ...totals,
    runs: totals.runs + 1,
    stuck: totals.stuck + (isStuck ? 1 : 0),
    warned: totals.warned + (finding !== null && !isStuck ? 1 : 0),
    cost: addCosts(totals.cost, cost),
    after: isStuck ? addCosts(totals.after, finding.after) : totals.after,
    withoutInput: totals.withoutInput + (cost.inputTokens === null ? 1 : 0),
  };
}
