import { toArray, type Conversation } from '@pawl/core';

/** What one version of a conversation has at its end that the version before had not. One that got shorter has nothing. */
export function joinedSince<Item>(before: Conversation<Item>, after: Conversation<Item>): readonly Item[] {
  const count = after.length - before.length;
  if (count <= 0) return nothing;
  if (count <= after.tail.length) return after.tail.slice(-count);
  // The tail was full and began anew: what joined before is in the leaf that it became.
  const latest = [...lastLeaf(after), ...after.tail];
  return count <= latest.length ? latest.slice(-count) : toArray(after).slice(-count);
}

const nothing: readonly never[] = [];

function lastLeaf<Item>({ root, depth }: Conversation<Item>): readonly Item[] {
  let node: readonly unknown[] = root;
  for (let level = depth; level > 0; level -= 1) {
    const last = node.at(-1);
    if (!Array.isArray(last)) return nothing;
    node = last as readonly unknown[];
  }
  return node as readonly Item[];
}
