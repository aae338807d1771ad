import type { Session } from '@pawl/core';
import { type Chart, type ChartMove, toDrawableChart, turnChart } from '@pawl/core/charts';
import type { ReplayedEntry, ReplayedTimeline } from '../../app/replayed-timeline.ts';
import { countUntilEvent, createIncrementalFold } from '../../app/incremental-fold.ts';
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

  add({ seq, notes }: ReplayedEntry): void {
    for (const note of notes) {
      if (note.type !== 'transition' && note.type !== 'mode') continue;
      const { at, from, to, cause, durationMs } = note;
      this[note.type === 'mode' ? 'mode' : 'turn'].add({ seq, at, from, to, cause, durationMs });
    }
  }
}

export const getChartTrails: (timeline: ReplayedTimeline) => ChartTrails = createIncrementalFold(
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
  readonly transitionCount: number;
};

/** Builds a chart with the transitions up to an event. */
export function buildChartViewModel(chart: Chart, trail: ChartTrail, at: number): ChartViewModel {
  const count = countUntilEvent(trail.transitions, at);
  const latest = trail.transitions[count - 1];
  const current = latest?.to ?? trail.initial;
  const counts = trail.countsAt(count);
  return {
    name: chart.name,
    current,
    states: listShownStates(chart, trail).map(({ name, description, kind }) => ({
      name,
      description,
      kind,
      isInitial: name === chart.initial,
      isCurrent: name === current,
      visits: counts.visits.get(name) ?? 0,
      totalMs: counts.totalMs.get(name) ?? 0,
    })),
    edges: listShownEdges(chart, trail).map((edge) => ({
      ...edge,
      count: counts.traversals.get(edge.id) ?? 0,
      isLatest: latest !== undefined && edge.id === formatEdgeId(latest),
    })),
    transitionCount: count,
  };
}

/** Lists the states of the chart, plus visited states that the chart does not declare. */
function listShownStates(chart: Chart, trail: ChartTrail): Chart['states'] {
  const declaredNames = new Set(chart.states.map(({ name }) => name));
  const others = [...trail.states].filter((name) => !declaredNames.has(name));
  const undeclared = others.map((name) => ({
    name,
    description: 'Not declared in the chart.',
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
function listShownEdges(chart: Chart, trail: ChartTrail): readonly UncountedEdge[] {
  const declared = chart.states.flatMap(({ name, transitions }) =>
    transitions.map((transition) => ({ from: name, ...transition })),
  );
  const edges = new Map<string, { endpoints: EdgeEndpoints; transitions: ChartMove[] }>();
  for (const endpoints of declared) {
    if (endpoints.from === endpoints.to) continue;
    const edge = edges.get(formatEdgeId(endpoints)) ?? { endpoints, transitions: [] };
    edge.transitions.push(endpoints);
    edges.set(formatEdgeId(endpoints), edge);
  }
  for (const { from, to, cause } of trail.firstByEdge.values()) {
    const id = formatEdgeId({ from, to });
    if (from === to || edges.has(id)) continue;
    edges.set(id, { endpoints: { from, to }, transitions: [{ on: cause, guard: null, to, actions: [] }] });
  }
  return [...edges].map(([id, { endpoints, transitions }]) => ({
    id,
    from: endpoints.from,
    to: endpoints.to,
    labels: [...new Set(transitions.map(formatEdgeLabel))].filter((label) => label !== ''),
    isUsual: isUsualEdge(chart, endpoints, transitions),
  }));
}

/** Edges to an end state exist from almost every turn status; they are drawn only once taken. */
function isUsualEdge(chart: Chart, { to }: EdgeEndpoints, transitions: readonly ChartMove[]): boolean {
  if (chart === turnChart && (to === 'halted' || to === 'shuttingDown')) return false;
  return transitions.some(({ on }) => on === null || !interruptionEvents.has(on));
}

function formatEdgeLabel({ on, guard }: ChartMove): string {
  return [on, guard === null ? null : `[${guard}]`].filter((part) => part !== null).join(' ');
}

/** Describes the chart in words, for screen readers. */
export function describeChartView({
  states,
  edges,
  current,
  transitionCount,
}: ChartViewModel): readonly string[] {
  const visited = states.filter(({ visits }) => visits > 0);
  return [
    `Current state: ${current}, after ${transitionCount} ${transitionCount === 1 ? 'transition' : 'transitions'}.`,
    ...visited.map(({ name, visits, isCurrent }) => {
      const takenEdges = edges.filter(({ from, count }) => from === name && count > 0);
      const targets = takenEdges.map(({ to, count }) => `to ${to} ${formatTimes(count)}`).join(', ');
      return `${name}: ${isCurrent ? 'current, ' : ''}visited ${formatTimes(visits)}${targets === '' ? '' : `; transitions: ${targets}`}.`;
    }),
  ];
}

function formatTimes(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
