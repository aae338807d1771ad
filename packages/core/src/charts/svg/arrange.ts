import type { Layers, Link, Route, Row, Slot } from './layers.ts';

const sweeps = 40;

/**
 * The rows, each in an order that makes few lines cross. Row by row, downwards and upwards in turn, every slot moves to
 * the middle of those it is linked with in the row before; the best order seen is kept.
 */
export function arrange({ rows, links, routes }: Layers): readonly Row[] {
  return leftToRight(uncrossed(rows, links), routes);
}

/** An order and its mirror image are equally good, but for the way the chart is told: that should not run backwards. */
function leftToRight(rows: readonly Row[], routes: readonly Route[]): readonly Row[] {
  const place = new Map(rows.flatMap((row) => row.map((slot, index) => [slot, index])));
  const level = routes.filter(({ edge, from, to }) => edge.tier === 'main' && from.rank === to.rank);
  const forward = level.filter(({ from, to }) => (place.get(from) ?? 0) < (place.get(to) ?? 0));
  return forward.length * 2 < level.length ? rows.map((row) => row.toReversed()) : rows;
}

function uncrossed(rows: readonly Row[], links: readonly Link[]): readonly Row[] {
  const sides = { above: neighbours(links, 'lower', 'upper'), below: neighbours(links, 'upper', 'lower') };
  let best = rows;
  let fewest = crossings(rows, sides.below);
  let current = rows;
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep += 1) {
    current =
      sweep % 2 === 0 ? swept(current, sides.above) : swept(current.toReversed(), sides.below).toReversed();
    const count = crossings(current, sides.below);
    if (count < fewest) [best, fewest] = [current, count];
  }
  return best;
}

type Neighbours = ReadonlyMap<Slot, readonly { readonly slot: Slot; readonly weight: number }[]>;

/** For each slot at one end of a link, the slots at the other. */
export function neighbours(links: readonly Link[], of: 'upper' | 'lower', at: 'upper' | 'lower'): Neighbours {
  const groups = Map.groupBy(links, (link) => link[of]);
  return new Map(
    [...groups].map(([slot, group]) => [
      slot,
      group.map((link) => ({ slot: link[at], weight: link.weight })),
    ]),
  );
}

function swept(rows: readonly Row[], before: Neighbours): readonly Row[] {
  const result: Row[] = [];
  for (const row of rows) {
    const previous = result.at(-1);
    result.push(previous === undefined ? row : inMiddle(row, places(previous), before));
  }
  return result;
}

function inMiddle(row: Row, previous: ReadonlyMap<Slot, number>, before: Neighbours): Row {
  const own = places(row);
  const middle = new Map(
    row.map((slot) => {
      const near = before.get(slot) ?? [];
      const total = near.reduce((sum, { weight }) => sum + weight, 0);
      const sum = near.reduce((sofar, each) => sofar + each.weight * (previous.get(each.slot) ?? 0), 0);
      return [slot, total === 0 ? (own.get(slot) ?? 0) : sum / total];
    }),
  );
  return row.toSorted((first, second) => (middle.get(first) ?? 0) - (middle.get(second) ?? 0));
}

/** Where each slot stands in its row, from 0 to 1, so that rows of different lengths compare. */
function places(row: Row): ReadonlyMap<Slot, number> {
  return new Map(row.map((slot, index) => [slot, (index + 0.5) / row.length]));
}

/** How many lines cross, strong lines counting more. */
function crossings(rows: readonly Row[], below: Neighbours): number {
  let count = 0;
  for (const [index, row] of rows.entries()) {
    const next = places(rows[index + 1] ?? []);
    const lines = row.flatMap((slot, x) =>
      (below.get(slot) ?? []).map(({ slot: lower, weight }) => ({ x, lower: next.get(lower) ?? 0, weight })),
    );
    for (const [place, first] of lines.entries()) {
      for (const second of lines.slice(place + 1)) {
        if (second.x > first.x && second.lower < first.lower) count += first.weight * second.weight;
      }
    }
  }
  return count;
}
