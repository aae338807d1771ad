import { neighbours } from './arrange.ts';
import type { Link, Row, Slot } from './layers.ts';

const rounds = 60;

/** The middle of each slot: as near as can be to what it is linked with, in the order of its row and with room between. */
export function positionsOf(
  rows: readonly Row[],
  links: readonly Link[],
  distance: (left: Slot, right: Slot) => number,
): ReadonlyMap<Slot, number> {
  const above = neighbours(links, 'lower', 'upper');
  const below = neighbours(links, 'upper', 'lower');
  const positions = new Map<Slot, number>();
  const settle = (row: Row): void => {
    const wishes = row.map((slot) =>
      wish([...(above.get(slot) ?? []), ...(below.get(slot) ?? [])], positions, slot),
    );
    const found = spread(row, wishes, distance);
    for (const [index, slot] of row.entries()) positions.set(slot, found[index] ?? 0);
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const row of round % 2 === 0 ? rows : rows.toReversed()) settle(row);
  }
  return positions;
}

type Wish = { readonly at: number; readonly weight: number };

function wish(
  near: readonly { readonly slot: Slot; readonly weight: number }[],
  positions: ReadonlyMap<Slot, number>,
  slot: Slot,
): Wish {
  const total = near.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return { at: positions.get(slot) ?? 0, weight: 0.1 };
  const sum = near.reduce((sofar, each) => sofar + each.weight * (positions.get(each.slot) ?? 0), 0);
  return { at: sum / total, weight: total };
}

/**
 * The positions nearest to the wishes that keep order and distance. Less the distances, they must only not decrease; so
 * wishes that go against each other are joined until none do, and stand together at their weighted mean.
 */
function spread(
  row: Row,
  wishes: readonly Wish[],
  distance: (left: Slot, right: Slot) => number,
): readonly number[] {
  const offsets: number[] = [];
  const blocks: { at: number; weight: number; size: number }[] = [];
  for (const [index, slot] of row.entries()) {
    const left = row[index - 1];
    offsets.push(left === undefined ? 0 : (offsets[index - 1] ?? 0) + distance(left, slot));
    const { at, weight } = wishes[index] ?? { at: 0, weight: 1 };
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
