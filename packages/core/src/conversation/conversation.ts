import { withAdded, withReplaced } from '../list.ts';

/*
 * An append-only list that shares structure: the next version of a conversation costs the same to make whether it
 * holds ten messages or a million, and the versions before it stay as they were. All of it is plain JSON.
 *
 * It is a tree of arrays. The newest items are in `tail`. A tail that is full (`width` items) becomes a leaf of the
 * tree: a node of level 0 is such a leaf, a node of level n holds up to `width` nodes of level n - 1, and `root` is a
 * node of level `depth`.
 */
const width = 16;

type Node<Item> = readonly Item[] | readonly Node<Item>[];

export type Conversation<Item> = {
  readonly length: number;
  readonly depth: number;
  readonly root: Node<Item>;
  readonly tail: readonly Item[];
};

const nothing: readonly never[] = [];

export const emptyConversation: Conversation<never> = { length: 0, depth: 1, root: nothing, tail: nothing };

export function append<Item>(list: Conversation<Item>, item: Item): Conversation<Item> {
  const { length, depth, root, tail } = list;
  if (tail.length < width) return { length: length + 1, depth, root, tail: withAdded(tail, item) };
  const inTree = length - width;
  const rootIsFull = inTree === width ** (depth + 1);
  return {
    length: length + 1,
    depth: rootIsFull ? depth + 1 : depth,
    root: rootIsFull ? [root, hang(tail, depth)] : graft(root as readonly Node<Item>[], depth, inTree, tail),
    tail: [item],
  };
}

export function appendAll<Item>(list: Conversation<Item>, added: readonly Item[]): Conversation<Item> {
  let result = list;
  for (const item of added) result = append(result, item);
  return result;
}

export function lastItem<Item>(list: Conversation<Item>): Item | undefined {
  return list.tail.at(-1);
}

/** The items in order, without building an array of them. */
export function* items<Item>(list: Conversation<Item>): Generator<Item, void, undefined> {
  yield* leaves(list.root, list.depth);
  yield* list.tail;
}

export function toArray<Item>(list: Conversation<Item>): Item[] {
  return [...items(list)];
}

/** A leaf under as many levels as its place in the tree asks for. */
function hang<Item>(leaf: readonly Item[], level: number): Node<Item> {
  return level === 0 ? leaf : [hang(leaf, level - 1)];
}

/** A copy of a node of this level with the leaf added as item number `index`; only the path to it is copied. */
function graft<Item>(
  node: readonly Node<Item>[],
  level: number,
  index: number,
  leaf: readonly Item[],
): Node<Item> {
  const slot = Math.floor(index / width ** level) % width;
  const child = node[slot];
  const grown =
    child === undefined
      ? hang(leaf, level - 1)
      : graft(child as readonly Node<Item>[], level - 1, index, leaf);
  return child === undefined ? withAdded(node, grown) : withReplaced(node, slot, grown);
}

function* leaves<Item>(node: Node<Item>, level: number): Generator<Item, void, undefined> {
  if (level === 0) yield* node as readonly Item[];
  else for (const child of node as readonly Node<Item>[]) yield* leaves(child, level - 1);
}
