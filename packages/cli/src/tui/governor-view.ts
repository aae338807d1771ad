import type { Session } from '@pawl/core';
import { computeRuleDistances, type RuleDistance } from '@pawl/governor';
import { selectRules } from '@pawl/governor/rules';
import { formatDuration } from '../output/format-time.ts';
import {
  renderBar,
  formatInteger,
  truncateLine,
  padLine,
  wrapText,
  createSegment,
  type StyledLine,
} from './styled-line.ts';
import type { ScreenModel } from './screen-model.ts';

/** Renders budgets, the latest verdict with its advice, and the rules closest to a threshold. */
export function renderGovernor(model: ScreenModel, columns: number): readonly StyledLine[] {
  const budgets = computeBudgetUsage(model).map(({ name, used, max, share }): StyledLine => [
    ...padLine([createSegment(` ${name}`, 'dim')], 13),
    ...renderBar(share, 8),
    createSegment(` ${used}/${max}`),
  ]);
  const rules = findNearestRules(model.session).map((distance): StyledLine => [
    ...padLine([createSegment(` ${distance.rule}`, getRuleStyle(distance))], 20),
    ...renderBar(computeThresholdShare(distance), 4),
    createSegment(
      ` ${distance.count}/${distance.next?.at ?? distance.count} ${distance.next?.severity ?? ''}`,
      'dim',
    ),
  ]);
  const { latest } = model.verdicts;
  const advice = wrapText(latest?.advice ?? '', columns - 2);
  const summary = renderAdviceSummary(model).map((line): StyledLine => [createSegment(' '), ...line]);
  const adviceLines =
    latest === null ? [] : advice.map((row): StyledLine => [createSegment(` ${row}`, 'dim')]);
  const all = [...budgets, ...summary, ...adviceLines, ...renderEvidence(model), ...rules];
  const lines: readonly StyledLine[] =
    all.length === 0 ? [[createSegment(` ${formatIdleGovernor(model.session)}`, 'dim')]] : all;
  return lines.map((line) => truncateLine(line, columns));
}

/** The events that the latest verdict is based on. */
function renderEvidence({ verdicts: { latest }, events }: ScreenModel): readonly StyledLine[] {
  if (latest === null || latest.evidence.length === 0) return [];
  const shown = events.filter(({ seq }) => latest.evidence.includes(seq));
  return [
    [createSegment(` evidence: events ${latest.evidence.join(', ')}`)],
    ...shown.map(({ seq, text }): StyledLine => [createSegment(`   ${seq}  ${text}`, 'dim')]),
  ];
}

function renderAdviceSummary({ verdicts: { count, latest } }: ScreenModel): readonly StyledLine[] {
  if (latest === null) return [];
  const text = `${count === 1 ? '1 verdict' : `${count} verdicts`}, last ${latest.rule}`;
  return [[createSegment(text, 'warn')]];
}

type BudgetGauge = {
  readonly name: string;
  readonly used: string;
  readonly max: string;
  readonly share: number;
};

function computeBudgetUsage({ session, now }: ScreenModel): readonly BudgetGauge[] {
  const { budgets } = session.settings;
  if (budgets === null) return [];
  const { budgetUsage, turn } = session;
  const worked =
    turn.status === 'waitingForUser'
      ? 0
      : Math.max(0, (budgetUsage.waitingSince ?? now) - budgetUsage.workingSince);
  const all = [
    { name: 'model', used: budgetUsage.modelCalls, max: budgets.modelCalls, as: formatInteger },
    { name: 'tools', used: budgetUsage.toolCalls, max: budgets.toolCalls, as: formatInteger },
    { name: 'tokens', used: budgetUsage.tokens, max: budgets.tokens, as: formatInteger },
    { name: 'cost', used: budgetUsage.cost, max: budgets.cost, as: formatMoney },
    { name: 'time', used: Math.floor(worked / 1_000) * 1_000, max: budgets.wallMs, as: formatDuration },
  ];
  return all.flatMap(({ name, used, max, as }) =>
    max === null ? [] : [{ name, used: as(used), max: as(max), share: used / max }],
  );
}

export function formatMoney(amount: number): string {
  return amount.toFixed(amount < 10 ? 4 : 2);
}

/** Returns the rules with matches, closest to their next threshold first. */
function findNearestRules({ governor, settings }: Session): readonly RuleDistance[] {
  const distances = computeRuleDistances(governor.detector, selectRules(settings.governor)).filter(
    ({ count }) => count > 1,
  );
  return distances.toSorted((one, other) => computeThresholdShare(other) - computeThresholdShare(one));
}

function computeThresholdShare({ count, next }: RuleDistance): number {
  return next === null ? 1 : count / next.at;
}

function getRuleStyle(distance: RuleDistance): 'plain' | 'warn' | 'bad' {
  const share = computeThresholdShare(distance);
  if (share >= 1) return 'bad';
  return share >= 0.6 ? 'warn' : 'plain';
}

/** Tracker-based presets have their own states. */
function formatIdleGovernor({ governor, settings }: Session): string {
  const { tracker } = governor;
  if (tracker !== null) return `${settings.governor.preset}: ${tracker.state.detector.machine.state}`;
  return settings.governor.preset === 'none' ? 'off' : 'no findings';
}
