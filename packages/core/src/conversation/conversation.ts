/*
 * A persistent append-only list: appending costs the same whether a conversation holds ten messages or a million, and
 * earlier versions stay valid. It is plain JSON.
 *
 * It is a tree of arrays. The newest items are in `tail`. A full tail (`branchFactor` items) becomes a leaf of the
 * tree: a node of level 0 is such a leaf, a node of level n holds up to `branchFactor` nodes of level n - 1, and `root`
 * is a node of level `depth`.
 */
const branchFactor = 16;

type TreeNode<Item> = readonly Item[] | readonly TreeNode<Item>[];

export type ConversationHistory<Item> = {
  readonly length: number;
  readonly depth: number;
  readonly root: TreeNode<Item>;
  readonly tail: readonly Item[];
};

const emptyItems: readonly never[] = [];

export const emptyConversation: ConversationHistory<never> = {
  length: 0,
  depth: 1,
  root: emptyItems,
  tail: emptyItems,
};

export function appendItem<Item>(list: ConversationHistory<Item>, item: Item): ConversationHistory<Item> {
  const { length, depth, root, tail } = list;
  if (tail.length < branchFactor)
    return { length: length + 1, depth, root, tail: appendArrayItem(tail, item) };
  const inTree = length - branchFactor;
  const rootIsFull = inTree === branchFactor ** (depth + 1);
  return {
    length: length + 1,
    depth: rootIsFull ? depth + 1 : depth,
    root: rootIsFull
      ? [root, wrapLeaf(tail, depth)]
      : insertLeaf(root as readonly TreeNode<Item>[], depth, inTree, tail),
    tail: [item],
  };
}

export function appendItems<Item>(
  list: ConversationHistory<Item>,
  added: readonly Item[],
): ConversationHistory<Item> {
  let result = list;
  for (const item of added) result = appendItem(result, item);
  return result;
}

export function getLastItem<Item>(list: ConversationHistory<Item>): Item | undefined {
  return list.tail.at(-1);
}

/** Iterates over the items in order, without building an array. */
export function* iterateItems<Item>(list: ConversationHistory<Item>): Generator<Item, void, undefined> {
  yield* iterateLeaves(list.root, list.depth);
  yield* list.tail;
}

export function toItemArray<Item>(list: ConversationHistory<Item>): Item[] {
  return [...iterateItems(list)];
}

/** Wraps a leaf in as many levels as its position in the tree requires. */
function wrapLeaf<Item>(leaf: readonly Item[], level: number): TreeNode<Item> {
  return level === 0 ? leaf : [wrapLeaf(leaf, level - 1)];
}

/** Returns a copy of a node with the leaf added at item number `index`; only the path to it is copied. */
function insertLeaf<Item>(
  node: readonly TreeNode<Item>[],
  level: number,
  index: number,
  leaf: readonly Item[],
): TreeNode<Item> {
  const slot = Math.floor(index / branchFactor ** level) % branchFactor;
  const child = node[slot];
  const appended =
    child === undefined
      ? wrapLeaf(leaf, level - 1)
      : insertLeaf(child as readonly TreeNode<Item>[], level - 1, index, leaf);
  return child === undefined ? appendArrayItem(node, appended) : replaceArrayItem(node, slot, appended);
}

function* iterateLeaves<Item>(node: TreeNode<Item>, level: number): Generator<Item, void, undefined> {
  if (level === 0) yield* node as readonly Item[];
  else for (const child of node as readonly TreeNode<Item>[]) yield* iterateLeaves(child, level - 1);
}

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
