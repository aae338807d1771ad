import type { RuleSeverity, Session } from '@pawl/core';
import { computeRuleDistances, type RuleDistance, type Rule } from '@pawl/governor';
import type { ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { formatAmount, formatElapsedTime, formatCost } from '../../app/format.ts';
import { computeNearness } from '../timeline/history-model.ts';
import { countUntilEvent } from '../../app/incremental-fold.ts';
import { getDecisionHistory } from '../../app/session-decisions.ts';

/** Usage of one budget. */
export type BudgetMeter = {
  readonly name: string;
  readonly used: string;
  readonly max: string;
  /** 0 to 1, or above 1 if the budget is exceeded. */
  readonly share: number;
  /** True if no limit is set. */
  readonly isUnlimited: boolean;
};

export type RuleProximity = {
  readonly id: string;
  readonly rationale: string;
  readonly unit: string;
  readonly count: number;
  readonly next: RuleDistance['next'];
  readonly thresholds: readonly { readonly severity: RuleSeverity; readonly at: number }[];
  /** From 0 (no matches) to 1 (no higher threshold left). */
  readonly share: number;
};

/** The limit that would end the work first, and what remains until then. */
export type ForcedEnd = { readonly cause: string; readonly usage: string; readonly share: number };

export type GovernorViewModel = {
  readonly preset: string;
  /** The state of a preset that has its own state machine. */
  readonly trackerState: string | null;
  readonly meters: readonly BudgetMeter[];
  /** All rules, closest to their next threshold first. */
  readonly rules: readonly RuleProximity[];
  readonly verdictCount: number;
  readonly latestVerdict: { readonly seq: number; readonly rule: string; readonly response: string } | null;
  readonly refused: Session['governor']['blockedCalls'];
  readonly recoveries: { readonly used: number; readonly max: number };
  readonly forcedEnd: ForcedEnd | null;
};

/** Builds the governor's state after an event. `now` is the end time of work that is still running. */
export function buildGovernorViewModel(
  timeline: ReplayedTimeline,
  at: number,
  { now, rules: availableRules }: { readonly now: number; readonly rules: readonly Rule[] },
): GovernorViewModel {
  const session = timeline.stateAt(at);
  const { settings, governor } = session;
  const { verdicts } = getDecisionHistory(timeline);
  const verdictCount = countUntilEvent(verdicts, at);
  const last = verdicts[verdictCount - 1];
  const meters = buildBudgetMeters(session, now);
  const rules = listRuleProximities(session, availableRules);
  return {
    preset: settings.governor.preset,
    trackerState: governor.tracker === null ? null : governor.tracker.state.detector.machine.state,
    meters,
    rules,
    verdictCount,
    latestVerdict:
      last === undefined
        ? null
        : { seq: last.seq, rule: last.verdict.rule, response: last.verdict.response.kind },
    refused: governor.blockedCalls,
    recoveries: { used: governor.recoveries, max: settings.maxRecoveries },
    forcedEnd: findForcedEnd(meters, rules, governor.blockedCalls),
  };
}

function buildBudgetMeters(
  { settings: { budgets }, budgetUsage, turn }: Session,
  now: number,
): readonly BudgetMeter[] {
  const workedMs =
    turn.status === 'waitingForUser'
      ? 0
      : Math.max(0, (budgetUsage.waitingSince ?? now) - budgetUsage.workingSince);
  if (budgets === null) return [];
  const budgetRows = [
    { name: 'model calls', used: budgetUsage.modelCalls, max: budgets.modelCalls, format: formatAmount },
    { name: 'tool calls', used: budgetUsage.toolCalls, max: budgets.toolCalls, format: formatAmount },
    { name: 'tokens', used: budgetUsage.tokens, max: budgets.tokens, format: formatAmount },
    { name: 'cost', used: budgetUsage.cost, max: budgets.cost, format: formatCost },
    {
      name: 'time',
      used: budgetUsage.workingSince === 0 ? 0 : workedMs,
      max: budgets.wallMs,
      format: formatMeterTime,
    },
  ];
  return budgetRows.map(({ name, used, max, format }) => ({
    name,
    used: format(used),
    max: max === null ? 'no limit' : format(max),
    share: max === null ? 0 : max > 0 ? used / max : 1,
    isUnlimited: max === null,
  }));
}

function formatMeterTime(ms: number): string {
  return ms === 0 ? '0 s' : formatElapsedTime(ms);
}

const ruleSeverities: readonly RuleSeverity[] = ['advise', 'block', 'ask', 'stop'];

function listRuleProximities({ governor }: Session, rules: readonly Rule[]): readonly RuleProximity[] {
  const distances = new Map(computeRuleDistances(governor.detector, rules).map((each) => [each.rule, each]));
  return rules
    .map((rule) => toRuleProximity(rule, distances.get(rule.id) ?? { rule: rule.id, count: 0, next: null }))
    .toSorted((one, other) => other.share - one.share || other.count - one.count);
}

function toRuleProximity(rule: Rule, distance: RuleDistance): RuleProximity {
  return {
    id: rule.id,
    rationale: rule.rationale,
    unit: rule.unit ?? 'times',
    count: distance.count,
    next: distance.next,
    thresholds: ruleSeverities.flatMap((severity) => {
      const at = rule.thresholds[severity] ?? null;
      return at === null ? [] : [{ severity, at }];
    }),
    share: computeNearness(distance),
  };
}

/** How often a blocked call may be repeated before the governor ends the work. */
const repeatedRefusalsMax = 2;

/** Returns the limit that is closest to ending the work. */
function findForcedEnd(
  meters: readonly BudgetMeter[],
  rules: readonly RuleProximity[],
  refused: Session['governor']['blockedCalls'],
): ForcedEnd | null {
  const byBudget = meters
    .filter(({ isUnlimited }) => !isUnlimited)
    .map(({ name, used, max, share }) => ({
      cause: `the ${name} budget`,
      usage: `${used} of ${max} used`,
      share,
    }));
  const byRule = rules.flatMap(({ id, count, thresholds, unit }) => {
    const stop = thresholds.find(({ severity }) => severity === 'stop');
    if (stop === undefined || count <= 1) return [];
    return [{ cause: id, usage: `${count} of ${stop.at} ${unit}`, share: count / stop.at }];
  });
  const byRefusal = refused.map(({ rule, requests }) => ({
    cause: `a call blocked by ${rule}`,
    usage: `repeated ${requests} of ${repeatedRefusalsMax} times`,
    share: requests / repeatedRefusalsMax,
  }));
  const all = [...byBudget, ...byRule, ...byRefusal].toSorted((one, other) => other.share - one.share);
  return all[0] ?? null;
}
