import type { Session, TurnStatus } from '@pawl/core';
import { type Chart, toDrawableChart, turnChart } from '@pawl/core/charts';
import {
  blankLine,
  truncateLine,
  getLineWidth,
  padLine,
  createSegment,
  type StyledLine,
  type StyledSegment,
} from './styled-line.ts';
import type { ScreenModel } from './screen-model.ts';

/*
 * The live state charts. ◉ is the current state, ● a state visited since the last user message, ○ any other;
 * transitions that were taken are highlighted.
 */

/** Renders the turn in one or two rows, and the mode, if there is one, in another. */
export function renderChartStrip(model: ScreenModel, columns: number, rows: number): readonly StyledLine[] {
  const stateTrail = getTurnTrail(model);
  const main = renderStateRow(stateTrail, mainStates, columns);
  const mode = renderModePath(model.session, columns);
  if (rows < 2) {
    const isSideState = !mainStates.includes(stateTrail.current);
    const sideState = isSideState
      ? [
          createSegment('  '),
          renderStateNode(stateTrail, stateTrail.current, statusShortNames[stateTrail.current]),
        ]
      : [];
    const row = isSideState ? [...sideState, ...main] : main;
    return [truncateLine(row, columns), ...mode];
  }
  const others = sideStates.flatMap((state) => [
    renderStateNode(stateTrail, state, statusShortNames[state]),
    createSegment('  '),
  ]);
  return [truncateLine(main, columns), truncateLine([createSegment(' '), ...others], columns), ...mode];
}

/** Renders every state in its own row, with its number of visits, for wide screens. */
export function renderChartColumn(model: ScreenModel, columns: number): readonly StyledLine[] {
  const { session } = model;
  const states = turnChart.states.map(({ name }) => renderStateEntry(getTurnTrail(model), name, columns));
  const turn = [
    ...states,
    renderLatestMoves(
      model.visitedStatuses.map((state) => statusShortNames[state]),
      columns,
    ),
  ];
  const { mode } = session;
  if (mode === null || session.settings.chart === null) return turn;
  const stateTrail: StateTrail<string> = { current: mode.state, trail: getModeTrail(session) };
  const modes = toDrawableChart(session.settings.chart).states.map(({ name }) =>
    renderStateEntry(stateTrail, name, columns),
  );
  return [...turn, blankLine, [createSegment(' mode', 'strong')], ...modes];
}

/** Renders as many of the latest transitions as fit. */
function renderLatestMoves(trail: readonly string[], columns: number): StyledLine {
  let text = '';
  for (const name of trail.toReversed()) {
    const longer = text === '' ? name : `${name} → ${text}`;
    if (longer.length > columns - 4) break;
    text = longer;
  }
  return [createSegment(`   ${text}`, 'accent')];
}

type StateTrail<State extends string> = { readonly current: State; readonly trail: readonly State[] };

const statusShortNames = {
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

/** The states of an undisturbed turn, in the order of the chart, and the others. */
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

function getTurnTrail({ session, visitedStatuses: trail }: ScreenModel): StateTrail<TurnStatus> {
  return { current: session.turn.status, trail };
}

function getModeTrail({ mode }: Session): readonly string[] {
  if (mode === null) return [];
  const [first] = mode.history;
  return first === undefined ? [mode.state] : [first.from, ...mode.history.map(({ to }) => to)];
}

function renderStateRow(
  stateTrail: StateTrail<TurnStatus>,
  states: readonly TurnStatus[],
  columns: number,
): StyledLine {
  const isNarrow = columns < 74;
  const transitions = listTrailTransitions(stateTrail.trail);
  const line: StyledSegment[] = [createSegment(' ')];
  for (const [index, state] of states.entries()) {
    const before = states[index - 1];
    if (before !== undefined) line.push(renderStateLink(transitions, before, state, isNarrow ? 1 : 2));
    line.push(renderStateNode(stateTrail, state, statusShortNames[state], isNarrow ? '' : ' '));
  }
  return line;
}

function renderStateNode<State extends string>(
  stateTrail: StateTrail<State>,
  state: State,
  name: string,
  space = ' ',
): StyledSegment {
  if (state === stateTrail.current) return createSegment(`◉${space}${name}`, 'accent');
  return stateTrail.trail.includes(state)
    ? createSegment(`●${space}${name}`)
    : createSegment(`○${space}${name}`, 'dim');
}

function listTrailTransitions(trail: readonly string[]): ReadonlySet<string> {
  return new Set(trail.slice(1).map((state, index) => `${trail[index]}→${state}`));
}

function renderStateLink(
  transitions: ReadonlySet<string>,
  from: string,
  to: string,
  length: number,
): StyledSegment {
  const isTaken = transitions.has(`${from}→${to}`) || transitions.has(`${to}→${from}`);
  return isTaken ? createSegment('━'.repeat(length), 'accent') : createSegment('─'.repeat(length), 'dim');
}

/** Share of the row for past modes; the rest is for the possible next modes. */
const modePathShare = 0.6;

/** A mode chart may have any states, so only the latest modes, the current one and the possible next ones are shown. */
function renderModePath({ mode, settings }: Session, columns: number): readonly StyledLine[] {
  if (mode === null || settings.chart === null) return [];
  let line: StyledLine = [createSegment(`◉ ${mode.state}`, 'accent')];
  for (const { from } of mode.history.toReversed()) {
    const longer = [createSegment(`● ${from}`), createSegment(' ━━ ', 'accent'), ...line];
    if (getLineWidth(longer) > columns * modePathShare) break;
    line = longer;
  }
  const next = listNextModes(toDrawableChart(settings.chart), mode.state);
  const nextModes = next.length === 0 ? [] : [createSegment(` ── ○ ${next.join(' ○ ')}`, 'dim')];
  return [truncateLine([createSegment(' mode  ', 'dim'), ...line, ...nextModes], columns)];
}

function listNextModes(chart: Chart, state: string): readonly string[] {
  const chartTransitions = chart.states.find(({ name }) => name === state)?.transitions ?? [];
  return [...new Set(chartTransitions.map(({ to }) => to))].filter((to) => to !== state);
}

function renderStateEntry<State extends string>(
  stateTrail: StateTrail<State>,
  name: string,
  columns: number,
): StyledLine {
  const visits = stateTrail.trail.filter((state) => state === name).length;
  if (name === stateTrail.current)
    return addVisitCount([createSegment(` ◉ ${name}`, 'accent')], visits, columns);
  return visits > 0
    ? addVisitCount([createSegment(` ● ${name}`)], visits, columns)
    : truncateLine([createSegment(` ○ ${name}`, 'dim')], columns);
}

function addVisitCount(line: StyledLine, visits: number, columns: number): StyledLine {
  return truncateLine(
    [...padLine(line, 26), createSegment(visits === 0 ? '' : `${visits}×`, 'dim')],
    columns,
  );
}
