/** A few numbers drawn in advance, and choices made by them; when they run out they start again. */
export type SeededDice = {
  readonly below: (limit: number) => number;
  readonly chance: (percent: number) => boolean;
  readonly pick: <const Item>(items: readonly [Item, ...Item[]]) => Item;
};

export function createDice(numbers: readonly number[]): SeededDice {
  let next = 0;
  const roll = (): number => {
    const value = numbers[next % numbers.length] ?? 0;
    next += 1;
    return value;
  };
  const below = (limit: number): number => roll() % limit;
  return {
    below,
    chance: (percent) => below(100) >= 100 - percent,
    pick: (items) => items[below(items.length)] ?? items[0],
  };
}
