import type { Session, TurnStatus } from '@pawl/core';
import { toDrawableChart, turnChart } from '@pawl/core/charts';
import { blankLine, truncateLine, padLine, createSegment, type StyledLine } from './styled-line.ts';
import type { ScreenModel } from './screen-model.ts';

/*
 * The state charts of the turn and of the modes. ◉ is the current state, ● a state visited since the last user message, ○ any other;
 * transitions that were taken are highlighted.
 */

/** Renders every state in its own row, with its number of visits. */
export function renderChart(model: ScreenModel, columns: number): readonly StyledLine[] {
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

function getTurnTrail({ session, visitedStatuses: trail }: ScreenModel): StateTrail<TurnStatus> {
  return { current: session.turn.status, trail };
}

function getModeTrail({ mode }: Session): readonly string[] {
  if (mode === null) return [];
  const [first] = mode.history;
  return first === undefined ? [mode.state] : [first.from, ...mode.history.map(({ to }) => to)];
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
