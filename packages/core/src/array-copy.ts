/*
 * Hand-written copies of short arrays, because they are made on every event. The built-in ways are several times
 * slower:
 * a spread reserves room for sixteen more items in each copy, and `with` is slow on arrays created by `map`.
 */
export function appendArrayItem<Item>(list: readonly Item[], item: Item): readonly Item[] {
  const copy = Array<Item>(list.length + 1);
  for (let index = 0; index < list.length; index += 1) copy[index] = list[index] as Item;
  copy[list.length] = item;
  return copy;
}

export function replaceArrayItem<Item>(list: readonly Item[], index: number, item: Item): readonly Item[] {
  const copy = list.slice();
  copy[index] = item;
  return copy;
}
