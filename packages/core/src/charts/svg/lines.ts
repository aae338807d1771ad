import { straight, upright, type Box, type Curve, type Point } from './geometry.ts';
import type { Route, Row, Slot } from './layers.ts';
import type { TieredEdge } from './tiers.ts';

export type Line = { readonly edge: TieredEdge; readonly curves: readonly Curve[] };

/** Where each slot has been put. */
export type Placed = (slot: Slot) => Box;

const portGap = 16;

/** A line for each edge between two states: level ones within a row, steep ones from row to row. */
export function linesFor(routes: readonly Route[], rows: readonly Row[], placed: Placed): readonly Line[] {
  const portOf = portsFor(
    routes.filter(({ from, to }) => from.rank !== to.rank),
    placed,
  );
  return routes.map((route) => ({
    edge: route.edge,
    curves:
      route.from.rank === route.to.rank
        ? [levelCurve(route, rows, placed)]
        : steepCurves(route, placed, portOf),
  }));
}

/** A small arc at the corner, for the moves that lead back to where they come from. */
export function loopAt({ x, y, width }: Box): Curve {
  const right = x + width;
  return [
    [right - 17, y],
    [right - 15, y - 17],
    [right + 17, y - 7],
    [right, y + 9],
  ];
}

type Port = {
  readonly slot: Slot;
  readonly side: 'top' | 'bottom';
  readonly key: string;
  readonly toward: Slot;
};

/** A line leaves a state by itself, or where its trunk does; lines of one trunk come in together. */
function endsOf({ edge, from, lanes, to, trunk }: Route): readonly [Port, Port] {
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

/** Spreads the lines along the sides of the states, each near the side it comes from. */
function portsFor(routes: readonly Route[], placed: Placed): (port: Port) => Point {
  const ports = new Map(routes.flatMap(endsOf).map((port) => [keyOf(port), port]));
  const places = new Map<string, Point>();
  for (const side of Map.groupBy(ports.values(), (port) =>
    JSON.stringify([port.slot.key, port.side]),
  ).values()) {
    const sorted = side.toSorted(
      (one, other) => middleOf(placed(one.toward)) - middleOf(placed(other.toward)),
    );
    for (const [index, port] of sorted.entries()) {
      const box = placed(port.slot);
      const gap = Math.min(portGap, (box.width - 28) / Math.max(1, sorted.length - 1));
      const x = middleOf(box) + (index - (sorted.length - 1) / 2) * gap;
      places.set(keyOf(port), [x, port.side === 'top' ? box.y : box.y + box.height]);
    }
  }
  return (port) => places.get(keyOf(port)) ?? [0, 0];
}

function keyOf({ slot, side, key }: Port): string {
  return JSON.stringify([slot.key, side, key]);
}

function steepCurves(route: Route, placed: Placed, portOf: (port: Port) => Point): readonly Curve[] {
  const [start, end] = endsOf(route);
  const down = route.to.rank > route.from.rank;
  const curves: Curve[] = [];
  let at = portOf(start);
  for (const lane of route.lanes) {
    const { x, y, width, height } = placed(lane);
    const enter: Point = [x + width / 2, down ? y : y + height];
    const leave: Point = [x + width / 2, down ? y + height : y];
    curves.push(upright(at, enter), straight(enter, leave));
    at = leave;
  }
  return [...curves, upright(at, portOf(end))];
}

/** Straight across to a neighbour, to the right above and to the left below; otherwise in a bow under those between. */
function levelCurve({ from, to }: Route, rows: readonly Row[], placed: Placed): Curve {
  const [start, end] = [placed(from), placed(to)];
  const right = end.x > start.x;
  const row = rows.find((each) => each.includes(from)) ?? [];
  const places = [row.indexOf(from), row.indexOf(to)];
  const between = row.slice(Math.min(...places) + 1, Math.max(...places));
  if (between.every((slot) => slot.state === null)) {
    const y = start.y + start.height / 2 + (right ? -7 : 7);
    return straight([right ? start.x + start.width : start.x, y], [right ? end.x : end.x + end.width, y]);
  }
  const bottom = start.y + start.height;
  const [startX, endX] = [middleOf(start), middleOf(end)];
  return [
    [startX, bottom],
    [startX, bottom + 40],
    [endX, bottom + 40],
    [endX, bottom],
  ];
}

function middleOf({ x, width }: Box): number {
  return x + width / 2;
}
