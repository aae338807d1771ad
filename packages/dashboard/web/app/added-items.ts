import { toItemArray, type ConversationHistory } from '@pawl/core';

/** Returns the items appended to a conversation since an earlier version, or none if it became shorter. */
export function listAddedItems<Item>(
  before: ConversationHistory<Item>,
  after: ConversationHistory<Item>,
): readonly Item[] {
  const count = after.length - before.length;
  if (count <= 0) return noItems;
  if (count <= after.tail.length) return after.tail.slice(-count);
  // The tail filled up and became a leaf, so the earlier additions are in the last leaf.
  const latest = [...getLastLeaf(after), ...after.tail];
  return count <= latest.length ? latest.slice(-count) : toItemArray(after).slice(-count);
}

const noItems: readonly never[] = [];

function getLastLeaf<Item>({ root, depth }: ConversationHistory<Item>): readonly Item[] {
  let node: readonly unknown[] = root;
  for (let level = depth; level > 0; level -= 1) {
    const last = node.at(-1);
    if (!Array.isArray(last)) return noItems;
    node = last as readonly unknown[];
  }
  return node as readonly Item[];
}
