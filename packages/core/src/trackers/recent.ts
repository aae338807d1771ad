/** The latest items, newest last, never more than `max` of them. */
export function withRecent<Item>(items: readonly Item[], item: Item, max: number): readonly Item[] {
  return max <= 0 ? [] : [...items.slice(-(max - 1) || items.length), item];
}
