/** Appends an item and keeps the latest `max` items, newest last. */
export function appendRecent<Item>(items: readonly Item[], item: Item, max: number): readonly Item[] {
  return max <= 0 ? [] : [...items.slice(-(max - 1) || items.length), item];
}
