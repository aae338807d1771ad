import { addRunCosts, zeroRunCost, type RunCost } from './audit-cost.ts';
import type { AuditedRun } from './audit-result.ts';

export type AuditTotals = {
  readonly runs: number;
  readonly stuck: number;
  /** Runs with verdicts that would not have ended them. */
  readonly warned: number;
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
  cost: zeroRunCost,
  after: zeroRunCost,
  withoutInput: 0,
  problems: 0,
};

export function addAuditedRun(totals: AuditTotals, { decisiveVerdict, cost }: AuditedRun): AuditTotals {
  const isStuck = decisiveVerdict?.isStuck === true;
  return {
    ...totals,
    runs: totals.runs + 1,
    stuck: totals.stuck + (isStuck ? 1 : 0),
    warned: totals.warned + (decisiveVerdict !== null && !isStuck ? 1 : 0),
    cost: addRunCosts(totals.cost, cost),
    after: isStuck ? addRunCosts(totals.after, decisiveVerdict.after) : totals.after,
    withoutInput: totals.withoutInput + (cost.inputTokens === null ? 1 : 0),
  };
}
