import { chartOf, turnChart, type Chart, type Session, type TurnStatus } from '@pawl/core';
import { blank, fitted, lineWidth, padded, seg, type Line, type Segment } from '../line.ts';
import type { ScreenModel } from '../screen.ts';

/*
 * The state charts while the work goes through them. A state is ◉ where the work is, ● where it has been since the user spoke
 * last, and ○ elsewhere; a way that was taken is drawn strong.
 */

/** The turn in one or two rows, and the mode in another where there are modes. */
export function chartStrip(model: ScreenModel, columns: number, rows: number): readonly Line[] {
  const walk = turnWalk(model);
  const main = joinedStates(walk, mainStates, columns);
  const mode = modePath(model.session, columns);
  if (rows < 2) {
    const isAside = !mainStates.includes(walk.current);
    const aside = isAside ? [seg('  '), node(walk, walk.current, shortNames[walk.current])] : [];
    const row = isAside ? [...aside, ...main.slice(0)] : main;
    return [fitted(row, columns), ...mode];
  }
  const others = sideStates.flatMap((state) => [node(walk, state, shortNames[state]), seg('  ')]);
  return [fitted(main, columns), fitted([seg(' '), ...others], columns), ...mode];
}

/** Every state of the charts in a row of its own, with how often the work came there, for where there is room. */
export function chartColumn(model: ScreenModel, columns: number): readonly Line[] {
  const { session } = model;
  const states = turnChart.states.map(({ name }) => listed(turnWalk(model), name, columns));
  const turn = [
    ...states,
    latest(
      model.trail.map((state) => shortNames[state]),
      columns,
    ),
  ];
  const { mode } = session;
  if (mode === null || session.settings.chart === null) return turn;
  const walk: Walk<string> = { current: mode.state, trail: modeTrail(session) };
  const modes = chartOf(session.settings.chart).states.map(({ name }) => listed(walk, name, columns));
  return [...turn, blank, [seg(' mode', 'strong')], ...modes];
}

/** The last moves, as many as fit. */
function latest(trail: readonly string[], columns: number): Line {
  let text = '';
  for (const name of trail.toReversed()) {
    const longer = text === '' ? name : `${name} → ${text}`;
    if (longer.length > columns - 4) break;
    text = longer;
  }
  return [seg(`   ${text}`, 'accent')];
}

type Walk<State extends string> = { readonly current: State; readonly trail: readonly State[] };

const shortNames = {
  waitingForUser: 'user',
  callingModel: 'model',
  processingResponse: 'reply',
  awaitingPermission: 'permit',
  executingTools: 'tools',
  postToolsHook: 'hooks',
  progressCheck: 'check',
  phaseTransition: 'phase',
  errorRecovery: 'recovery',
  paging: 'paging',
  paused: 'paused',
  halted: 'halted',
  shuttingDown: 'ended',
} as const satisfies Record<TurnStatus, string>;

/** The way a turn goes when nothing comes between, in the order of the chart, and the rest. */
const mainStates: readonly TurnStatus[] = [
  'waitingForUser',
  'callingModel',
  'processingResponse',
  'awaitingPermission',
  'executingTools',
  'postToolsHook',
  'progressCheck',
  'phaseTransition',
];
const sideStates: readonly TurnStatus[] = ['errorRecovery', 'paging', 'paused', 'halted', 'shuttingDown'];

function turnWalk({ session, trail }: ScreenModel): Walk<TurnStatus> {
  return { current: session.turn.status, trail };
}

function modeTrail({ mode }: Session): readonly string[] {
  if (mode === null) return [];
  const [first] = mode.history;
  return first === undefined ? [mode.state] : [first.from, ...mode.history.map(({ to }) => to)];
}

function joinedStates(walk: Walk<TurnStatus>, states: readonly TurnStatus[], columns: number): Line {
  const isTight = columns < 74;
  const steps = stepsOf(walk.trail);
  const line: Segment[] = [seg(' ')];
  for (const [index, state] of states.entries()) {
    const before = states[index - 1];
    if (before !== undefined) line.push(link(steps, before, state, isTight ? 1 : 2));
    line.push(node(walk, state, shortNames[state], isTight ? '' : ' '));
  }
  return line;
}

function node<State extends string>(walk: Walk<State>, state: State, name: string, space = ' '): Segment {
  if (state === walk.current) return seg(`◉${space}${name}`, 'accent');
  return walk.trail.includes(state) ? seg(`●${space}${name}`) : seg(`○${space}${name}`, 'dim');
}

function stepsOf(trail: readonly string[]): ReadonlySet<string> {
  return new Set(trail.slice(1).map((state, index) => `${trail[index]}→${state}`));
}

function link(steps: ReadonlySet<string>, from: string, to: string, length: number): Segment {
  const isTaken = steps.has(`${from}→${to}`) || steps.has(`${to}→${from}`);
  return isTaken ? seg('━'.repeat(length), 'accent') : seg('─'.repeat(length), 'dim');
}

/** How much of the row is for where the agent came from; the rest is for where it can go. */
const pathShare = 0.6;

/** A chart of modes may have any states: the latest ones, where the agent is, and where it can go from there. */
function modePath({ mode, settings }: Session, columns: number): readonly Line[] {
  if (mode === null || settings.chart === null) return [];
  let line: Line = [seg(`◉ ${mode.state}`, 'accent')];
  for (const { from } of mode.history.toReversed()) {
    const longer = [seg(`● ${from}`), seg(' ━━ ', 'accent'), ...line];
    if (lineWidth(longer) > columns * pathShare) break;
    line = longer;
  }
  const next = nextModes(chartOf(settings.chart), mode.state);
  const ways = next.length === 0 ? [] : [seg(` ── ○ ${next.join(' ○ ')}`, 'dim')];
  return [fitted([seg(' mode  ', 'dim'), ...line, ...ways], columns)];
}

function nextModes(chart: Chart, state: string): readonly string[] {
  const moves = chart.states.find(({ name }) => name === state)?.moves ?? [];
  return [...new Set(moves.map(({ to }) => to))].filter((to) => to !== state);
}

function listed<State extends string>(walk: Walk<State>, name: string, columns: number): Line {
  const visits = walk.trail.filter((state) => state === name).length;
  if (name === walk.current) return counted([seg(` ◉ ${name}`, 'accent')], visits, columns);
  return visits > 0
    ? counted([seg(` ● ${name}`)], visits, columns)
    : fitted([seg(` ○ ${name}`, 'dim')], columns);
}

function counted(line: Line, visits: number, columns: number): Line {
  return fitted([...padded(line, 26), seg(visits === 0 ? '' : `${visits}×`, 'dim')], columns);
}
