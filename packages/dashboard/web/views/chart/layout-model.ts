import type { ChartViewModel, EdgeViewModel } from './chart-model.ts';

/** Positions of states and bend points of edges, in pixels at zoom level 1. */
export type ElkLayout = {
  readonly width: number;
  readonly height: number;
  readonly positions: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
  readonly lines: ReadonlyMap<string, readonly ElkPoint[]>;
};

export type ElkPoint = { readonly x: number; readonly y: number };

export const stateBoxSize = { width: 178, height: 54 } as const;

/** A graph in elk's input format. */
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

/** The parts of elk's result that are used. */
export type ElkResult = {
  readonly width?: number;
  readonly height?: number;
  readonly children?: readonly { readonly id: string; readonly x?: number; readonly y?: number }[];
  readonly edges?: readonly {
    readonly id: string;
    readonly sections?: readonly {
      readonly startPoint: ElkPoint;
      readonly endPoint: ElkPoint;
      readonly bendPoints?: readonly ElkPoint[];
    }[];
  }[];
};

/**
 * Selects the edges to draw: usual and taken ones, or all. The result does not depend on the selected event, so that
 * the chart does not move during time travel.
 */
export function selectDrawnEdges(
  edges: readonly EdgeViewModel[],
  showAll: boolean,
  takenEdges: ReadonlyMap<string, unknown>,
): readonly EdgeViewModel[] {
  return showAll ? edges : edges.filter(({ id, isUsual }) => isUsual || takenEdges.has(id));
}

export function buildElkGraph(
  chart: ChartViewModel,
  edges: readonly EdgeViewModel[],
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
    children: selectDrawnStates(chart, edges).map(({ name }) => ({ id: name, ...stateBoxSize })),
    edges: edges.map(({ id, from, to }) => ({ id, sources: [from], targets: [to] })),
  };
}

/** Omits states without drawn edges, unless they are initial or were visited. */
export function selectDrawnStates(
  chart: ChartViewModel,
  edges: readonly EdgeViewModel[],
): ChartViewModel['states'] {
  const connected = new Set(edges.flatMap(({ from, to }) => [from, to]));
  return chart.states.filter(({ name, visits, isInitial }) => connected.has(name) || visits > 0 || isInitial);
}

export function parseElkLayout({ width = 0, height = 0, children = [], edges = [] }: ElkResult): ElkLayout {
  return {
    width,
    height,
    positions: new Map(children.map(({ id, x = 0, y = 0 }) => [id, { x, y }])),
    lines: new Map(
      edges.flatMap(({ id, sections = [] }) => {
        const [section] = sections;
        if (section === undefined) return [];
        return [[id, [section.startPoint, ...(section.bendPoints ?? []), section.endPoint]] as const];
      }),
    ),
  };
}

/** Converts points to an SVG path. elk's splines are cubic: every three points after the first form one segment. */
export function formatSvgPath(points: readonly ElkPoint[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const at = ({ x, y }: ElkPoint): string => `${roundCoordinate(x)} ${roundCoordinate(y)}`;
  if (rest.length % 3 !== 0) return `M ${at(first)} ${rest.map((point) => `L ${at(point)}`).join(' ')}`;
  const segments: string[] = [];
  for (let index = 0; index < rest.length; index += 3) {
    const segment = rest.slice(index, index + 3);
    segments.push(`C ${segment.map(at).join(', ')}`);
  }
  return `M ${at(first)} ${segments.join(' ')}`;
}

/** Position of the count along an edge: off center, so that the counts of opposite edges do not overlap. */
const countLabelShare = 0.38;

/** Returns the point at the given share of a path's length. */
export function findPointOnPath(points: readonly ElkPoint[], share: number = countLabelShare): ElkPoint {
  const polyline = flattenCurves(points);
  const total = measurePath(polyline);
  let remaining = total * share;
  for (let index = 1; index < polyline.length; index += 1) {
    const [from, to] = [polyline[index - 1] as ElkPoint, polyline[index] as ElkPoint];
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    if (length >= remaining && length > 0) {
      return {
        x: from.x + ((to.x - from.x) * remaining) / length,
        y: from.y + ((to.y - from.y) * remaining) / length,
      };
    }
    remaining -= length;
  }
  return polyline.at(-1) ?? { x: 0, y: 0 };
}

function measurePath(polyline: readonly ElkPoint[]): number {
  return polyline.reduce((sum, { x, y }, index) => {
    const before = polyline[index - 1];
    return before === undefined ? 0 : sum + Math.hypot(x - before.x, y - before.y);
  }, 0);
}

const curveSegments = 10;

/** Approximates curves by short straight segments. */
function flattenCurves(points: readonly ElkPoint[]): readonly ElkPoint[] {
  if ((points.length - 1) % 3 !== 0) return points;
  const polyline: ElkPoint[] = points.slice(0, 1);
  for (let index = 0; index + 3 < points.length; index += 3) {
    const controlPoints = points.slice(index, index + 4);
    for (let step = 1; step <= curveSegments; step += 1)
      polyline.push(computeCurvePoint(controlPoints, step / curveSegments));
  }
  return polyline;
}

function computeCurvePoint(controlPoints: readonly ElkPoint[], t: number): ElkPoint {
  const rest = 1 - t;
  const weights = [rest ** 3, 3 * rest ** 2 * t, 3 * rest * t ** 2, t ** 3];
  return controlPoints.reduce(
    (sum, { x, y }, index) => ({
      x: sum.x + x * (weights[index] ?? 0),
      y: sum.y + y * (weights[index] ?? 0),
    }),
    { x: 0, y: 0 },
  );
}

function roundCoordinate(value: number): number {
  return Math.round(value * 10) / 10;
}
