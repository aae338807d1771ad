import { chartOf, turnChart, type Chart, type ChartMove, type Session } from '@pawl/core';
import type { Entry, Track } from '../../app/track.ts';
import { countUpTo, keptUp } from '../timeline/kept-up.ts';
import { edgeId, Walk, type Way } from './walk.ts';

/** Which of a session's two charts: what it waits for, or what kind of step it takes. */
export type ChartName = 'turn' | 'mode';

/** The ways that a session went through its two charts so far. */
class ChartWalks {
  readonly turn: Walk;
  readonly mode: Walk;

  constructor({ turn, mode }: Session) {
    this.turn = new Walk(turn.status);
    this.mode = new Walk(mode?.state ?? '');
  }

  take({ seq, notes }: Entry): void {
    for (const note of notes) {
      if (note.type !== 'transition' && note.type !== 'mode') continue;
      const { at, from, to, cause, durationMs } = note;
      this[note.type === 'mode' ? 'mode' : 'turn'].add({ seq, at, from, to, cause, durationMs });
    }
  }
}

export const walksOf: (track: Track) => ChartWalks = keptUp(({ created }) => new ChartWalks(created));

/** The charts that a session goes by; there is one of modes only where its profile has them. */
export function chartsOf({ settings }: Session): { readonly turn: Chart; readonly mode: Chart | null } {
  return { turn: turnChart, mode: settings.chart === null ? null : chartOf(settings.chart) };
}

export type StateShown = {
  readonly name: string;
  readonly description: string;
  readonly kind: Chart['states'][number]['kind'];
  readonly isInitial: boolean;
  readonly isCurrent: boolean;
  /** How often the work came here, its beginning here included. */
  readonly visits: number;
  /** How long it has been here altogether; a visit that goes on is not in it. */
  readonly totalMs: number;
};

export type EdgeShown = {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** What sets it off, each way once. */
  readonly labels: readonly string[];
  readonly count: number;
  /** The last move that was made. */
  readonly isLatest: boolean;
  /** Not an interruption, which there is from nearly every state. */
  readonly isUsual: boolean;
};

export type ChartShown = {
  readonly name: string;
  readonly current: string;
  readonly states: readonly StateShown[];
  readonly edges: readonly EdgeShown[];
  /** How many moves were made. */
  readonly moves: number;
};

/** A chart with the way that was gone up to an event. */
export function chartShown(chart: Chart, walk: Walk, at: number): ChartShown {
  const count = countUpTo(walk.moves, at);
  const latest = walk.moves[count - 1];
  const current = latest?.to ?? walk.initial;
  const tally = walk.tallyAt(count);
  return {
    name: chart.name,
    current,
    states: statesIn(chart, walk).map(({ name, description, kind }) => ({
      name,
      description,
      kind,
      isInitial: name === chart.initial,
      isCurrent: name === current,
      visits: tally.visits.get(name) ?? 0,
      totalMs: tally.totalMs.get(name) ?? 0,
    })),
    edges: edgesIn(chart, walk).map((edge) => ({
      ...edge,
      count: tally.taken.get(edge.id) ?? 0,
      isLatest: latest !== undefined && edge.id === edgeId(latest),
    })),
    moves: count,
  };
}

/** The states of the chart, and any that a move led to although the chart does not have it. */
function statesIn(chart: Chart, walk: Walk): Chart['states'] {
  const known = new Set(chart.states.map(({ name }) => name));
  const others = [...walk.states].filter((name) => !known.has(name));
  const undeclared = others.map((name) => ({
    name,
    description: 'The chart does not have it.',
    kind: 'waiting' as const,
    moves: [],
  }));
  return [...chart.states, ...undeclared];
}

/** Wishes of a person, which may come in nearly every state and would cover the chart with lines. */
const interruptions: ReadonlySet<string> = new Set([
  'pause-requested',
  'resume-requested',
  'cancel-requested',
  'halt-requested',
  'shutdown-requested',
  'verdict-reached',
]);

type Edge = Omit<EdgeShown, 'count' | 'isLatest'>;

/** One line for all the moves from a state to another. Moves that stay where they are have none. */
function edgesIn(chart: Chart, walk: Walk): readonly Edge[] {
  const ways = chart.states.flatMap(({ name, moves }) => moves.map((move) => ({ from: name, ...move })));
  const edges = new Map<string, { way: Way; moves: ChartMove[] }>();
  for (const way of ways) {
    if (way.from === way.to) continue;
    const edge = edges.get(edgeId(way)) ?? { way, moves: [] };
    edge.moves.push(way);
    edges.set(edgeId(way), edge);
  }
  for (const { from, to, cause } of walk.ways.values()) {
    const id = edgeId({ from, to });
    if (from === to || edges.has(id)) continue;
    edges.set(id, { way: { from, to }, moves: [{ on: cause, when: null, to, does: [] }] });
  }
  return [...edges].map(([id, { way, moves }]) => ({
    id,
    from: way.from,
    to: way.to,
    labels: [...new Set(moves.map(labelOf))].filter((label) => label !== ''),
    isUsual: isUsual(chart, way, moves),
  }));
}

/** From nearly every state of the turn something may lead to the end; that is drawn once it has happened. */
function isUsual(chart: Chart, { to }: Way, moves: readonly ChartMove[]): boolean {
  if (chart === turnChart && (to === 'halted' || to === 'shuttingDown')) return false;
  return moves.some(({ on }) => on === null || !interruptions.has(on));
}

function labelOf({ on, when }: ChartMove): string {
  return [on, when === null ? null : `[${when}]`].filter((part) => part !== null).join(' ');
}

/** The chart in words, for those who do not see it. */
export function chartInWords({ states, edges, current, moves }: ChartShown): readonly string[] {
  const visited = states.filter(({ visits }) => visits > 0);
  return [
    `The work is in ${current}, after ${moves} ${moves === 1 ? 'move' : 'moves'}.`,
    ...visited.map(({ name, visits, isCurrent }) => {
      const ways = edges.filter(({ from, count }) => from === name && count > 0);
      const led = ways.map(({ to, count }) => `to ${to} ${times(count)}`).join(', ');
      return `${name}: ${isCurrent ? 'here now, ' : ''}visited ${times(visits)}${led === '' ? '' : `; led ${led}`}.`;
    }),
  ];
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
