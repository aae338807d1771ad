/** Chance that is the same for the same seed. */
export type Random = {
  /** From 0 up to but not including 1. */
  next(): number;
  /** A whole number from 0 up to but not including `limit`. */
  below(limit: number): number;
  chance(rate: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
};

/** Small and fast (sfc32); the first numbers are thrown away, since they depend too plainly on the seed. */
export function createRandom(seed: number): Random {
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
