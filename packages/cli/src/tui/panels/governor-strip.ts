import { distances, rulesFor, type Distance, type Session } from '@pawl/core';
import { duration } from '../../commands/show-time.ts';
import { bar, grouped } from '../bar.ts';
import { fitted, joined, padded, rowsOf, seg, type Line } from '../line.ts';
import type { ScreenModel } from '../screen.ts';

/** On one row: how much of what the session may use up is used; none where it may use up what it likes. */
export function budgetStrip(model: ScreenModel, columns: number): readonly Line[] {
  const pieces = budgetPieces(model);
  return pieces.length === 0 ? [] : [[seg(' budgets  ', 'dim'), ...joined(pieces, columns - 11)]];
}

/** On one row: how much the rules have said, and which are nearest to saying something; with budgets if there is room. */
export function governorStrip(model: ScreenModel, columns: number, withBudgets: boolean): Line {
  const rules = nearest(model.session).map((near): Line => [seg(nearText(near), nearStyle(near))]);
  const calm: Line = [seg(calmText(model.session), 'dim')];
  const said = [...adviceOf(model), ...rules.slice(0, 3)];
  const pieces = [...(said.length === 0 ? [calm] : said), ...(withBudgets ? budgetPieces(model) : [])];
  return [seg(' governor ', 'dim'), ...joined(pieces, columns - 11)];
}

function budgetPieces(model: ScreenModel): readonly Line[] {
  return budgetsOf(model).map(({ name, used, max, share }) => [
    seg(`${name} `, 'dim'),
    ...bar(share, 5),
    seg(` ${used}/${max}`),
  ]);
}

const adviceRows = 4;

/** The same with a row for each, and the advice in words. */
export function governorColumn(model: ScreenModel, columns: number, rows: number): readonly Line[] {
  const budgets = budgetsOf(model).map(({ name, used, max, share }): Line => [
    ...padded([seg(` ${name}`, 'dim')], 13),
    ...bar(share, 8),
    seg(` ${used}/${max}`),
  ]);
  const rules = nearest(model.session).map((near): Line => [
    ...padded([seg(` ${near.rule}`, nearStyle(near))], 20),
    ...bar(shareOf(near), 4),
    seg(` ${near.count}/${near.next?.at ?? near.count} ${near.next?.level ?? ''}`, 'dim'),
  ]);
  const { latest } = model.verdicts;
  const advice = rowsOf(latest?.advice ?? '', columns - 2).slice(0, adviceRows);
  const said = adviceOf(model).map((line): Line => [seg(' '), ...line]);
  const words = latest === null ? [] : advice.map((row): Line => [seg(` ${row}`, 'dim')]);
  const all = [...budgets, ...said, ...words, ...rules];
  const lines: readonly Line[] = all.length === 0 ? [[seg(` ${calmText(model.session)}`, 'dim')]] : all;
  return lines.slice(0, rows).map((line) => fitted(line, columns));
}

function adviceOf({ verdicts: { count, latest } }: ScreenModel): readonly Line[] {
  if (latest === null) return [];
  const said = `${count === 1 ? 'spoke once' : `spoke ${count} times`}, last ${latest.rule}`;
  return [[seg(said, 'warn')]];
}

type Used = { readonly name: string; readonly used: string; readonly max: string; readonly share: number };

function budgetsOf({ session, now }: ScreenModel): readonly Used[] {
  const { budgets } = session.settings;
  if (budgets === null) return [];
  const { spent, turn } = session;
  const worked =
    turn.status === 'waitingForUser' ? 0 : Math.max(0, (spent.waitingSince ?? now) - spent.workingSince);
  const all = [
    { name: 'model', used: spent.modelCalls, max: budgets.modelCalls, as: grouped },
    { name: 'tools', used: spent.toolCalls, max: budgets.toolCalls, as: grouped },
    { name: 'tokens', used: spent.tokens, max: budgets.tokens, as: grouped },
    { name: 'cost', used: spent.cost, max: budgets.cost, as: money },
    { name: 'time', used: Math.floor(worked / 1_000) * 1_000, max: budgets.wallMs, as: duration },
  ];
  return all.flatMap(({ name, used, max, as }) =>
    max === null ? [] : [{ name, used: as(used), max: as(max), share: used / max }],
  );
}

export function money(amount: number): string {
  return amount.toFixed(amount < 10 ? 4 : 2);
}

/** The rules that see something, those that are nearest to their next rung first. */
function nearest({ governor, settings }: Session): readonly Distance[] {
  const seen = distances(governor.watch, rulesFor(settings.governor)).filter(({ count }) => count > 1);
  return seen.toSorted((one, other) => shareOf(other) - shareOf(one));
}

function shareOf({ count, next }: Distance): number {
  return next === null ? 1 : count / next.at;
}

function nearText({ rule, count, next }: Distance): string {
  return next === null ? `${rule} ${count}` : `${rule} ${count}/${next.at} to ${next.level}`;
}

function nearStyle(near: Distance): 'plain' | 'warn' | 'bad' {
  const share = shareOf(near);
  if (share >= 1) return 'bad';
  return share >= 0.6 ? 'warn' : 'plain';
}

/** The presets that come as trackers judge by states of their own. */
function calmText({ governor, settings }: Session): string {
  const { tracker } = governor;
  if (tracker !== null) return `${settings.governor.preset}: ${tracker.state.mind.machine.state}`;
  return settings.governor.preset === 'none' ? 'off' : 'nothing to say';
}
