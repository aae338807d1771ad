import type { ChartShown, EdgeShown } from './chart-model.ts';

/** Where elk put the states and bends the lines; in its own units, which are pixels before any zoom. */
export type Layout = {
  readonly width: number;
  readonly height: number;
  readonly places: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
  readonly lines: ReadonlyMap<string, readonly Point[]>;
};

export type Point = { readonly x: number; readonly y: number };

export const stateSize = { width: 178, height: 54 } as const;

/** A graph in the form elk reads. */
export type ElkGraph = {
  readonly id: string;
  readonly layoutOptions: { readonly [option: string]: string };
  readonly children: readonly { readonly id: string; readonly width: number; readonly height: number }[];
  readonly edges: readonly {
    readonly id: string;
    readonly sources: readonly string[];
    readonly targets: readonly string[];
  }[];
};

/** What elk gives back, as far as it is read. */
export type ElkAnswer = {
  readonly width?: number;
  readonly height?: number;
  readonly children?: readonly { readonly id: string; readonly x?: number; readonly y?: number }[];
  readonly edges?: readonly {
    readonly id: string;
    readonly sections?: readonly {
      readonly startPoint: Point;
      readonly endPoint: Point;
      readonly bendPoints?: readonly Point[];
    }[];
  }[];
};

/**
 * Which lines are drawn: those that are usual and those that were taken, or every one. It does not depend on the event
 * that is looked at, so that the chart stands still under time travel.
 */
export function linesDrawn(
  edges: readonly EdgeShown[],
  everyWay: boolean,
  taken: ReadonlyMap<string, unknown>,
): readonly EdgeShown[] {
  return everyWay ? edges : edges.filter(({ id, isUsual }) => isUsual || taken.has(id));
}

export function elkGraph(
  chart: ChartShown,
  edges: readonly EdgeShown[],
  direction: 'DOWN' | 'RIGHT',
): ElkGraph {
  return {
    id: 'chart',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': direction,
      'elk.edgeRouting': 'SPLINES',
      'elk.layered.spacing.nodeNodeBetweenLayers': '52',
      'elk.spacing.nodeNode': '34',
      'elk.spacing.edgeNode': '22',
      'elk.spacing.edgeEdge': '12',
      'elk.layered.cycleBreaking.strategy': 'DEPTH_FIRST',
      'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
      'elk.randomSeed': '1',
    },
    children: statesDrawn(chart, edges).map(({ name }) => ({ id: name, ...stateSize })),
    edges: edges.map(({ id, from, to }) => ({ id, sources: [from], targets: [to] })),
  };
}

/** A state that no line leads to or from is left out, unless the work is or was there. */
export function statesDrawn(chart: ChartShown, edges: readonly EdgeShown[]): ChartShown['states'] {
  const joined = new Set(edges.flatMap(({ from, to }) => [from, to]));
  return chart.states.filter(({ name, visits, isInitial }) => joined.has(name) || visits > 0 || isInitial);
}

export function layoutFrom({ width = 0, height = 0, children = [], edges = [] }: ElkAnswer): Layout {
  return {
    width,
    height,
    places: new Map(children.map(({ id, x = 0, y = 0 }) => [id, { x, y }])),
    lines: new Map(
      edges.flatMap(({ id, sections = [] }) => {
        const [section] = sections;
        if (section === undefined) return [];
        return [[id, [section.startPoint, ...(section.bendPoints ?? []), section.endPoint]] as const];
      }),
    ),
  };
}

/** A line through the points as SVG draws it. elk's splines are cubic: every three points after the first are one piece. */
export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const at = ({ x, y }: Point): string => `${round(x)} ${round(y)}`;
  if (rest.length % 3 !== 0) return `M ${at(first)} ${rest.map((point) => `L ${at(point)}`).join(' ')}`;
  const pieces: string[] = [];
  for (let index = 0; index < rest.length; index += 3) {
    const three = rest.slice(index, index + 3);
    pieces.push(`C ${three.map(at).join(', ')}`);
  }
  return `M ${at(first)} ${pieces.join(' ')}`;
}

/** Where on a line its count is written: before its middle, so that those of a way and the way back lie apart. */
const countAt = 0.38;

/** The point at which so much of a line's length is behind one. */
export function pointAlong(points: readonly Point[], share: number = countAt): Point {
  const way = flattened(points);
  const total = lengthOf(way);
  let left = total * share;
  for (let index = 1; index < way.length; index += 1) {
    const [from, to] = [way[index - 1] as Point, way[index] as Point];
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    if (length >= left && length > 0) {
      return { x: from.x + ((to.x - from.x) * left) / length, y: from.y + ((to.y - from.y) * left) / length };
    }
    left -= length;
  }
  return way.at(-1) ?? { x: 0, y: 0 };
}

function lengthOf(way: readonly Point[]): number {
  return way.reduce((sum, { x, y }, index) => {
    const before = way[index - 1];
    return before === undefined ? 0 : sum + Math.hypot(x - before.x, y - before.y);
  }, 0);
}

const piecesOfCurve = 10;

/** A line through the points, curves as short straight pieces. */
function flattened(points: readonly Point[]): readonly Point[] {
  if ((points.length - 1) % 3 !== 0) return points;
  const way: Point[] = points.slice(0, 1);
  for (let index = 0; index + 3 < points.length; index += 3) {
    const four = points.slice(index, index + 4);
    for (let piece = 1; piece <= piecesOfCurve; piece += 1) way.push(onCurve(four, piece / piecesOfCurve));
  }
  return way;
}

function onCurve(four: readonly Point[], t: number): Point {
  const rest = 1 - t;
  const weights = [rest ** 3, 3 * rest ** 2 * t, 3 * rest * t ** 2, t ** 3];
  return four.reduce(
    (sum, { x, y }, index) => ({
      x: sum.x + x * (weights[index] ?? 0),
      y: sum.y + y * (weights[index] ?? 0),
    }),
    { x: 0, y: 0 },
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
