import {
  createStraightCurve,
  createVerticalCurve,
  type LayoutBox,
  type BezierCurve,
  type LayoutPoint,
} from './geometry.ts';
import type { EdgeRoute, SlotRow, LayerSlot } from './layers.ts';
import type { TieredEdge } from './edge-tiers.ts';

export type EdgeLine = { readonly edge: TieredEdge; readonly curves: readonly BezierCurve[] };

/** Returns the box of a slot. */
export type SlotPlacement = (slot: LayerSlot) => LayoutBox;

const portGap = 16;

/** Builds a line for each edge between two states: horizontal within a row, vertical between rows. */
export function buildEdgeLines(
  routes: readonly EdgeRoute[],
  rows: readonly SlotRow[],
  getBox: SlotPlacement,
): readonly EdgeLine[] {
  const getPortPoint = placePorts(
    routes.filter(({ from, to }) => from.rank !== to.rank),
    getBox,
  );
  return routes.map((route) => ({
    edge: route.edge,
    curves:
      route.from.rank === route.to.rank
        ? [buildLevelCurve(route, rows, getBox)]
        : buildSteepCurves(route, getBox, getPortPoint),
  }));
}

/** Creates a small arc at the corner for moves from a state to itself. */
export function createSelfLoopCurve({ x, y, width }: LayoutBox): BezierCurve {
  const right = x + width;
  return [
    [right - 17, y],
    [right - 15, y - 17],
    [right + 17, y - 7],
    [right, y + 9],
  ];
}

type EdgePort = {
  readonly slot: LayerSlot;
  readonly side: 'top' | 'bottom';
  readonly key: string;
  readonly toward: LayerSlot;
};

/** A line leaves a state at its own port or at its trunk's; lines of one trunk arrive together. */
function getRoutePorts({ edge, from, lanes, to, trunk }: EdgeRoute): readonly [EdgePort, EdgePort] {
  const down = to.rank > from.rank;
  const alone = JSON.stringify([edge.from, edge.to]);
  const isBundled = lanes.length > 0 || edge.tier === 'faint';
  return [
    { slot: from, side: down ? 'bottom' : 'top', key: edge.spreads ? trunk : alone, toward: lanes[0] ?? to },
    {
      slot: to,
      side: down ? 'top' : 'bottom',
      key: isBundled && !edge.spreads ? trunk : alone,
      toward: lanes.at(-1) ?? from,
    },
  ];
}

/** Distributes the ports along the sides of the states, each toward the slot it connects to. */
function placePorts(routes: readonly EdgeRoute[], getBox: SlotPlacement): (port: EdgePort) => LayoutPoint {
  const ports = new Map(routes.flatMap(getRoutePorts).map((port) => [getPortKey(port), port]));
  const points = new Map<string, LayoutPoint>();
  for (const side of Map.groupBy(ports.values(), (port) =>
    JSON.stringify([port.slot.key, port.side]),
  ).values()) {
    const sorted = side.toSorted(
      (one, other) => getBoxCenter(getBox(one.toward)) - getBoxCenter(getBox(other.toward)),
    );
    for (const [index, port] of sorted.entries()) {
      const box = getBox(port.slot);
      const gap = Math.min(portGap, (box.width - 28) / Math.max(1, sorted.length - 1));
      const x = getBoxCenter(box) + (index - (sorted.length - 1) / 2) * gap;
      points.set(getPortKey(port), [x, port.side === 'top' ? box.y : box.y + box.height]);
    }
  }
  return (port) => points.get(getPortKey(port)) ?? [0, 0];
}

function getPortKey({ slot, side, key }: EdgePort): string {
  return JSON.stringify([slot.key, side, key]);
}

function buildSteepCurves(
  route: EdgeRoute,
  getBox: SlotPlacement,
  getPortPoint: (port: EdgePort) => LayoutPoint,
): readonly BezierCurve[] {
  const [start, end] = getRoutePorts(route);
  const down = route.to.rank > route.from.rank;
  const curves: BezierCurve[] = [];
  let point = getPortPoint(start);
  for (const lane of route.lanes) {
    const { x, y, width, height } = getBox(lane);
    const enter: LayoutPoint = [x + width / 2, down ? y : y + height];
    const leave: LayoutPoint = [x + width / 2, down ? y + height : y];
    curves.push(createVerticalCurve(point, enter), createStraightCurve(enter, leave));
    point = leave;
  }
  return [...curves, createVerticalCurve(point, getPortPoint(end))];
}

/**
 * Draws a straight line to a neighbor, upper for rightward and lower for leftward; otherwise an arc below the states in
 * between.
 */
function buildLevelCurve(
  { from, to }: EdgeRoute,
  rows: readonly SlotRow[],
  getBox: SlotPlacement,
): BezierCurve {
  const [start, end] = [getBox(from), getBox(to)];
  const right = end.x > start.x;
  const row = rows.find((each) => each.includes(from)) ?? [];
  const indexes = [row.indexOf(from), row.indexOf(to)];
  const between = row.slice(Math.min(...indexes) + 1, Math.max(...indexes));
  if (between.every((slot) => slot.state === null)) {
    const y = start.y + start.height / 2 + (right ? -7 : 7);
    return createStraightCurve(
      [right ? start.x + start.width : start.x, y],
      [right ? end.x : end.x + end.width, y],
    );
  }
  const bottom = start.y + start.height;
  const [startX, endX] = [getBoxCenter(start), getBoxCenter(end)];
  return [
    [startX, bottom],
    [startX, bottom + 40],
    [endX, bottom + 40],
    [endX, bottom],
  ];
}

function getBoxCenter({ x, width }: LayoutBox): number {
  return x + width / 2;
}
