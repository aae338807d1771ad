import { computeRuleDistances, selectRules, type RuleDistance, type Session } from '@pawl/core';
import { formatDuration } from '../../commands/format-time.ts';
import { renderBar, formatInteger } from '../bar.ts';
import {
  truncateLine,
  joinPieces,
  padLine,
  wrapText,
  createSegment,
  type StyledLine,
} from '../styled-line.ts';
import type { ScreenModel } from '../screen-model.ts';

/** Renders budget usage on one row; empty without budgets. */
export function renderBudgetStrip(model: ScreenModel, columns: number): readonly StyledLine[] {
  const pieces = renderBudgetPieces(model);
  return pieces.length === 0
    ? []
    : [[createSegment(' budgets  ', 'dim'), ...joinPieces(pieces, columns - 11)]];
}

/** Renders the number of verdicts and the rules closest to a threshold on one row, with budgets if requested. */
export function renderGovernorStrip(model: ScreenModel, columns: number, withBudgets: boolean): StyledLine {
  const rules = findNearestRules(model.session).map((near): StyledLine => [
    createSegment(formatRuleDistance(near), getRuleStyle(near)),
  ]);
  const calm: StyledLine = [createSegment(formatIdleGovernor(model.session), 'dim')];
  const said = [...renderAdviceSummary(model), ...rules.slice(0, 3)];
  const pieces = [...(said.length === 0 ? [calm] : said), ...(withBudgets ? renderBudgetPieces(model) : [])];
  return [createSegment(' governor ', 'dim'), ...joinPieces(pieces, columns - 11)];
}

function renderBudgetPieces(model: ScreenModel): readonly StyledLine[] {
  return computeBudgetUsage(model).map(({ name, used, max, share }) => [
    createSegment(`${name} `, 'dim'),
    ...renderBar(share, 5),
    createSegment(` ${used}/${max}`),
  ]);
}

const maxAdviceRows = 4;

/** Renders the governor with one row per item, and the advice as text. */
export function renderGovernorColumn(
  model: ScreenModel,
  columns: number,
  rows: number,
): readonly StyledLine[] {
  const budgets = computeBudgetUsage(model).map(({ name, used, max, share }): StyledLine => [
    ...padLine([createSegment(` ${name}`, 'dim')], 13),
    ...renderBar(share, 8),
    createSegment(` ${used}/${max}`),
  ]);
  const rules = findNearestRules(model.session).map((near): StyledLine => [
    ...padLine([createSegment(` ${near.rule}`, getRuleStyle(near))], 20),
    ...renderBar(computeThresholdShare(near), 4),
    createSegment(` ${near.count}/${near.next?.at ?? near.count} ${near.next?.level ?? ''}`, 'dim'),
  ]);
  const { latest } = model.verdicts;
  const advice = wrapText(latest?.advice ?? '', columns - 2).slice(0, maxAdviceRows);
  const said = renderAdviceSummary(model).map((line): StyledLine => [createSegment(' '), ...line]);
  const words = latest === null ? [] : advice.map((row): StyledLine => [createSegment(` ${row}`, 'dim')]);
  const all = [...budgets, ...said, ...words, ...rules];
  const lines: readonly StyledLine[] =
    all.length === 0 ? [[createSegment(` ${formatIdleGovernor(model.session)}`, 'dim')]] : all;
  return lines.slice(0, rows).map((line) => truncateLine(line, columns));
}

function renderAdviceSummary({ verdicts: { count, latest } }: ScreenModel): readonly StyledLine[] {
  if (latest === null) return [];
  const said = `${count === 1 ? 'spoke once' : `spoke ${count} times`}, last ${latest.rule}`;
  return [[createSegment(said, 'warn')]];
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
  const { spent, turn } = session;
  const worked =
    turn.status === 'waitingForUser' ? 0 : Math.max(0, (spent.waitingSince ?? now) - spent.workingSince);
  const all = [
    { name: 'model', used: spent.modelCalls, max: budgets.modelCalls, as: formatInteger },
    { name: 'tools', used: spent.toolCalls, max: budgets.toolCalls, as: formatInteger },
    { name: 'tokens', used: spent.tokens, max: budgets.tokens, as: formatInteger },
    { name: 'cost', used: spent.cost, max: budgets.cost, as: formatMoney },
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
  const seen = computeRuleDistances(governor.watch, selectRules(settings.governor)).filter(
    ({ count }) => count > 1,
  );
  return seen.toSorted((one, other) => computeThresholdShare(other) - computeThresholdShare(one));
}

function computeThresholdShare({ count, next }: RuleDistance): number {
  return next === null ? 1 : count / next.at;
}

function formatRuleDistance({ rule, count, next }: RuleDistance): string {
  return next === null ? `${rule} ${count}` : `${rule} ${count}/${next.at} to ${next.level}`;
}

function getRuleStyle(near: RuleDistance): 'plain' | 'warn' | 'bad' {
  const share = computeThresholdShare(near);
  if (share >= 1) return 'bad';
  return share >= 0.6 ? 'warn' : 'plain';
}

/** Tracker-based presets have their own states. */
function formatIdleGovernor({ governor, settings }: Session): string {
  const { tracker } = governor;
  if (tracker !== null) return `${settings.governor.preset}: ${tracker.state.mind.machine.state}`;
  return settings.governor.preset === 'none' ? 'off' : 'nothing to say';
}
