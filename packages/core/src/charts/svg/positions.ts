import { groupNeighbors } from './arrange-rows.ts';
import type { SlotLink, SlotRow, LayerSlot } from './layers.ts';

const relaxationRounds = 60;

/**
 * Computes the center of each slot: as close as possible to its neighbors, in the order of its row and with the
 * required distance.
 */
export function computeSlotPositions(
  rows: readonly SlotRow[],
  links: readonly SlotLink[],
  distance: (left: LayerSlot, right: LayerSlot) => number,
): ReadonlyMap<LayerSlot, number> {
  const above = groupNeighbors(links, 'lower', 'upper');
  const below = groupNeighbors(links, 'upper', 'lower');
  const positions = new Map<LayerSlot, number>();
  const relaxRow = (row: SlotRow): void => {
    const preferred = row.map((slot) =>
      computePreferredPosition([...(above.get(slot) ?? []), ...(below.get(slot) ?? [])], positions, slot),
    );
    const spread = spreadSlots(row, preferred, distance);
    for (const [index, slot] of row.entries()) positions.set(slot, spread[index] ?? 0);
  };
  for (let round = 0; round < relaxationRounds; round += 1) {
    for (const row of round % 2 === 0 ? rows : rows.toReversed()) relaxRow(row);
  }
  return positions;
}

type PreferredPosition = { readonly at: number; readonly weight: number };

function computePreferredPosition(
  neighbors: readonly { readonly slot: LayerSlot; readonly weight: number }[],
  positions: ReadonlyMap<LayerSlot, number>,
  slot: LayerSlot,
): PreferredPosition {
  const total = neighbors.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return { at: positions.get(slot) ?? 0, weight: 0.1 };
  const sum = neighbors.reduce(
    (weighted, each) => weighted + each.weight * (positions.get(each.slot) ?? 0),
    0,
  );
  return { at: sum / total, weight: total };
}

/**
 * Finds the positions closest to the preferred ones that keep order and distance. After subtracting the distances,
 * positions must not decrease (isotonic regression): conflicting positions are merged and placed at their weighted
 * mean.
 */
function spreadSlots(
  row: SlotRow,
  preferred: readonly PreferredPosition[],
  distance: (left: LayerSlot, right: LayerSlot) => number,
): readonly number[] {
  const offsets: number[] = [];
  const blocks: { at: number; weight: number; size: number }[] = [];
  for (const [index, slot] of row.entries()) {
    const left = row[index - 1];
    offsets.push(left === undefined ? 0 : (offsets[index - 1] ?? 0) + distance(left, slot));
    const { at, weight } = preferred[index] ?? { at: 0, weight: 1 };
    let block = { at: at - (offsets[index] ?? 0), weight, size: 1 };
    for (let last = blocks.at(-1); last !== undefined && last.at > block.at; last = blocks.at(-1)) {
      blocks.pop();
      const sum = last.weight + block.weight;
      block = {
        at: (last.at * last.weight + block.at * block.weight) / sum,
        weight: sum,
        size: last.size + block.size,
      };
    }
    blocks.push(block);
  }
  const joined = blocks.flatMap(({ at, size }) => Array.from({ length: size }, () => at));
  return joined.map((at, index) => at + (offsets[index] ?? 0));
}
