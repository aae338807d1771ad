import type { ChartLayers, SlotLink, EdgeRoute, SlotRow, LayerSlot } from './layers.ts';

const sweepCount = 40;

/**
 * Orders the rows so that few lines cross. Row by row, alternating downwards and upwards, each slot moves to the
 * barycenter of its neighbors in the previous row; the best order found is used.
 */
export function arrangeRows({ rows, links, routes }: ChartLayers): readonly SlotRow[] {
  return orientLeftToRight(minimizeCrossings(rows, links), routes);
}

/**
 * Picks the orientation in which the main path runs from left to right; an order and its mirror image have the same
 * crossings.
 */
function orientLeftToRight(rows: readonly SlotRow[], routes: readonly EdgeRoute[]): readonly SlotRow[] {
  const positions = new Map(rows.flatMap((row) => row.map((slot, index) => [slot, index])));
  const level = routes.filter(({ edge, from, to }) => edge.tier === 'main' && from.rank === to.rank);
  const forward = level.filter(({ from, to }) => (positions.get(from) ?? 0) < (positions.get(to) ?? 0));
  return forward.length * 2 < level.length ? rows.map((row) => row.toReversed()) : rows;
}

function minimizeCrossings(rows: readonly SlotRow[], links: readonly SlotLink[]): readonly SlotRow[] {
  const sides = {
    above: groupNeighbors(links, 'lower', 'upper'),
    below: groupNeighbors(links, 'upper', 'lower'),
  };
  let best = rows;
  let fewest = countCrossings(rows, sides.below);
  let current = rows;
  for (let sweep = 0; sweep < sweepCount && fewest > 0; sweep += 1) {
    current =
      sweep % 2 === 0
        ? sweepRows(current, sides.above)
        : sweepRows(current.toReversed(), sides.below).toReversed();
    const count = countCrossings(current, sides.below);
    if (count < fewest) [best, fewest] = [current, count];
  }
  return best;
}

type NeighborMap = ReadonlyMap<LayerSlot, readonly { readonly slot: LayerSlot; readonly weight: number }[]>;

/** Groups the slots at one end of the links by the slot at the other end. */
export function groupNeighbors(
  links: readonly SlotLink[],
  groupEnd: 'upper' | 'lower',
  neighborEnd: 'upper' | 'lower',
): NeighborMap {
  const groups = Map.groupBy(links, (link) => link[groupEnd]);
  return new Map(
    [...groups].map(([slot, group]) => [
      slot,
      group.map((link) => ({ slot: link[neighborEnd], weight: link.weight })),
    ]),
  );
}

function sweepRows(rows: readonly SlotRow[], before: NeighborMap): readonly SlotRow[] {
  const result: SlotRow[] = [];
  for (const row of rows) {
    const previous = result.at(-1);
    result.push(previous === undefined ? row : sortByBarycenter(row, computeRowPositions(previous), before));
  }
  return result;
}

function sortByBarycenter(
  row: SlotRow,
  previous: ReadonlyMap<LayerSlot, number>,
  before: NeighborMap,
): SlotRow {
  const currentPositions = computeRowPositions(row);
  const barycenters = new Map(
    row.map((slot) => {
      const neighbors = before.get(slot) ?? [];
      const total = neighbors.reduce((sum, { weight }) => sum + weight, 0);
      const sum = neighbors.reduce(
        (weighted, each) => weighted + each.weight * (previous.get(each.slot) ?? 0),
        0,
      );
      return [slot, total === 0 ? (currentPositions.get(slot) ?? 0) : sum / total];
    }),
  );
  return row.toSorted((first, second) => (barycenters.get(first) ?? 0) - (barycenters.get(second) ?? 0));
}

/** Returns each slot's position in its row from 0 to 1, so that rows of different lengths are comparable. */
function computeRowPositions(row: SlotRow): ReadonlyMap<LayerSlot, number> {
  return new Map(row.map((slot, index) => [slot, (index + 0.5) / row.length]));
}

/** Counts line crossings, weighted by the lines. */
function countCrossings(rows: readonly SlotRow[], below: NeighborMap): number {
  let count = 0;
  for (const [index, row] of rows.entries()) {
    const next = computeRowPositions(rows[index + 1] ?? []);
    const lines = row.flatMap((slot, x) =>
      (below.get(slot) ?? []).map(({ slot: lower, weight }) => ({ x, lower: next.get(lower) ?? 0, weight })),
    );
    for (const [lineIndex, first] of lines.entries()) {
      for (const second of lines.slice(lineIndex + 1)) {
        if (second.x > first.x && second.lower < first.lower) count += first.weight * second.weight;
      }
    }
  }
  return count;
}
