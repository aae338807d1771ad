import { toDrawableChart, turnChart, type Chart, type ChartMove, type Session } from '@pawl/core';
import type { ReplayedEntry, ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { countUntilEvent, createIncrementalFold } from '../timeline/incremental-fold.ts';
import { formatEdgeId, ChartTrail, type EdgeEndpoints } from './chart-trail.ts';

/** The two charts of a session: its turn status and its mode. */
export type ChartName = 'turn' | 'mode';

/** The transitions of a session in both charts so far. */
class ChartTrails {
  readonly turn: ChartTrail;
  readonly mode: ChartTrail;

  constructor({ turn, mode }: Session) {
    this.turn = new ChartTrail(turn.status);
    this.mode = new ChartTrail(mode?.state ?? '');
  }

  take({ seq, notes }: ReplayedEntry): void {
    for (const note of notes) {
      if (note.type !== 'transition' && note.type !== 'mode') continue;
      const { at, from, to, cause, durationMs } = note;
      this[note.type === 'mode' ? 'mode' : 'turn'].add({ seq, at, from, to, cause, durationMs });
    }
  }
}

export const getChartTrails: (track: ReplayedTimeline) => ChartTrails = createIncrementalFold(
  ({ created }) => new ChartTrails(created),
);

/** Returns the charts of a session; `mode` is null if its profile has no modes. */
export function getSessionCharts({ settings }: Session): {
  readonly turn: Chart;
  readonly mode: Chart | null;
} {
  return { turn: turnChart, mode: settings.chart === null ? null : toDrawableChart(settings.chart) };
}

export type StateViewModel = {
  readonly name: string;
  readonly description: string;
  readonly kind: Chart['states'][number]['kind'];
  readonly isInitial: boolean;
  readonly isCurrent: boolean;
  /** Number of times the state was entered, including the initial one. */
  readonly visits: number;
  /** Total time in this state, without a visit that has not ended. */
  readonly totalMs: number;
};

export type EdgeViewModel = {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Distinct triggers of the transition. */
  readonly labels: readonly string[];
  readonly count: number;
  /** Whether this is the most recent transition. */
  readonly isLatest: boolean;
  /** False for interruptions, which are possible in almost every state. */
  readonly isUsual: boolean;
};

export type ChartViewModel = {
  readonly name: string;
  readonly current: string;
  readonly states: readonly StateViewModel[];
  readonly edges: readonly EdgeViewModel[];
  /** Number of transitions so far. */
  readonly moves: number;
};

/** Builds a chart with the transitions up to an event. */
export function buildChartViewModel(chart: Chart, walk: ChartTrail, at: number): ChartViewModel {
  const count = countUntilEvent(walk.moves, at);
  const latest = walk.moves[count - 1];
  const current = latest?.to ?? walk.initial;
  const tally = walk.tallyAt(count);
  return {
    name: chart.name,
    current,
    states: listShownStates(chart, walk).map(({ name, description, kind }) => ({
      name,
      description,
      kind,
      isInitial: name === chart.initial,
      isCurrent: name === current,
      visits: tally.visits.get(name) ?? 0,
      totalMs: tally.totalMs.get(name) ?? 0,
    })),
    edges: listShownEdges(chart, walk).map((edge) => ({
      ...edge,
      count: tally.taken.get(edge.id) ?? 0,
      isLatest: latest !== undefined && edge.id === formatEdgeId(latest),
    })),
    moves: count,
  };
}

/** Lists the states of the chart, plus visited states that the chart does not declare. */
function listShownStates(chart: Chart, walk: ChartTrail): Chart['states'] {
  const known = new Set(chart.states.map(({ name }) => name));
  const others = [...walk.states].filter((name) => !known.has(name));
  const undeclared = others.map((name) => ({
    name,
    description: 'The chart does not have it.',
    kind: 'waiting' as const,
    transitions: [],
  }));
  return [...chart.states, ...undeclared];
}

/** Interruptions, which are possible in almost every state; drawing all of them would clutter the chart. */
const interruptionEvents: ReadonlySet<string> = new Set([
  'pause-requested',
  'resume-requested',
  'cancel-requested',
  'halt-requested',
  'shutdown-requested',
  'verdict-reached',
]);

type UncountedEdge = Omit<EdgeViewModel, 'count' | 'isLatest'>;

/** Merges all transitions between two states into one edge. Self-transitions have no edge. */
function listShownEdges(chart: Chart, walk: ChartTrail): readonly UncountedEdge[] {
  const ways = chart.states.flatMap(({ name, transitions }) =>
    transitions.map((move) => ({ from: name, ...move })),
  );
  const edges = new Map<string, { way: EdgeEndpoints; moves: ChartMove[] }>();
  for (const way of ways) {
    if (way.from === way.to) continue;
    const edge = edges.get(formatEdgeId(way)) ?? { way, moves: [] };
    edge.moves.push(way);
    edges.set(formatEdgeId(way), edge);
  }
  for (const { from, to, cause } of walk.ways.values()) {
    const id = formatEdgeId({ from, to });
    if (from === to || edges.has(id)) continue;
    edges.set(id, { way: { from, to }, moves: [{ on: cause, guard: null, to, actions: [] }] });
  }
  return [...edges].map(([id, { way, moves }]) => ({
    id,
    from: way.from,
    to: way.to,
    labels: [...new Set(moves.map(formatEdgeLabel))].filter((label) => label !== ''),
    isUsual: isUsualEdge(chart, way, moves),
  }));
}

/** Edges to an end state exist from almost every turn status; they are drawn only once taken. */
function isUsualEdge(chart: Chart, { to }: EdgeEndpoints, moves: readonly ChartMove[]): boolean {
  if (chart === turnChart && (to === 'halted' || to === 'shuttingDown')) return false;
  return moves.some(({ on }) => on === null || !interruptionEvents.has(on));
}

function formatEdgeLabel({ on, guard }: ChartMove): string {
  return [on, guard === null ? null : `[${guard}]`].filter((part) => part !== null).join(' ');
}

/** Describes the chart in words, for screen readers. */
export function describeChartView({ states, edges, current, moves }: ChartViewModel): readonly string[] {
  const visited = states.filter(({ visits }) => visits > 0);
  return [
    `The work is in ${current}, after ${moves} ${moves === 1 ? 'move' : 'moves'}.`,
    ...visited.map(({ name, visits, isCurrent }) => {
      const ways = edges.filter(({ from, count }) => from === name && count > 0);
      const led = ways.map(({ to, count }) => `to ${to} ${formatTimes(count)}`).join(', ');
      return `${name}: ${isCurrent ? 'here now, ' : ''}visited ${formatTimes(visits)}${led === '' ? '' : `; led ${led}`}.`;
    }),
  ];
}

function formatTimes(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
