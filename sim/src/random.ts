/** Deterministic random numbers from a seed. */
export type RandomSource = {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Returns an integer from 0 (inclusive) to `limit` (exclusive). */
  below(limit: number): number;
  chance(rate: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
};

/** A small, fast generator (sfc32). The first numbers are discarded because they correlate with the seed. */
export function createRandomSource(seed: number): RandomSource {
  let a = seed | 0;
  let b = Math.floor(seed / 2 ** 32) | 0;
  let c = 0x9e3779b9 | 0;
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let index = 0; index < 15; index += 1) next();
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (rate) => rate > 0 && next() < rate,
    pick: (items) => items[below(items.length)] ?? items[0],
  };
}
