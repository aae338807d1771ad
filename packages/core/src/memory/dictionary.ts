import { withAdded, withReplaced } from '../list.ts';

/*
 * A map from text to values that shares structure: changing one key copies a handful of short arrays, however many keys
 * there are, and the versions before it stay as they were. All of it is plain JSON, and any text is a safe key, since
 * keys are only ever values in it.
 *
 * It is a tree. A branch is an array of sixteen nodes, chosen by four bits of the key's hash; a leaf holds a few pairs.
 */
type Leaf<Value> = { readonly pairs: readonly Pair<Value>[] };
type Pair<Value> = readonly [key: string, value: Value];
type Node<Value> = null | Leaf<Value> | Branch<Value>;
type Branch<Value> = readonly Node<Value>[];

export type Dictionary<Value> = { readonly size: number; readonly root: Node<Value> };

const bits = 4;
const width = 1 << bits;
const leafMax = 8;
/** Where the hash has no more bits to tell keys apart, a leaf grows as it must. */
const depthMax = 32 / bits;
const noNodes: Branch<never> = Array.from({ length: width }, () => null);

export const emptyDictionary: Dictionary<never> = { size: 0, root: null };

export function valueAt<Value>(dictionary: Dictionary<Value>, key: string): Value | undefined {
  let node = dictionary.root;
  for (let hash = hashOf(key); isBranch(node); hash >>>= bits) node = node[hash % width] ?? null;
  return node?.pairs.find(([other]) => other === key)?.[1];
}

export function withValue<Value>(
  dictionary: Dictionary<Value>,
  key: string,
  value: Value,
): Dictionary<Value> {
  const isNew = valueAt(dictionary, key) === undefined;
  const root = planted(dictionary.root, [key, value], hashOf(key), 0);
  return { size: dictionary.size + (isNew ? 1 : 0), root };
}

export function withoutKey<Value>(dictionary: Dictionary<Value>, key: string): Dictionary<Value> {
  if (valueAt(dictionary, key) === undefined) return dictionary;
  return { size: dictionary.size - 1, root: cleared(dictionary.root, key, hashOf(key)) };
}

/** In an order that depends on the keys alone. */
export function* valuesOf<Value>(dictionary: Dictionary<Value>): Generator<Value, void, undefined> {
  yield* under(dictionary.root);
}

function planted<Value>(node: Node<Value>, pair: Pair<Value>, hash: number, depth: number): Node<Value> {
  if (isBranch(node)) {
    const slot = hash % width;
    return withReplaced(node, slot, planted(node[slot] ?? null, pair, hash >>> bits, depth + 1));
  }
  const pairs = node?.pairs ?? [];
  const at = pairs.findIndex(([key]) => key === pair[0]);
  if (at !== -1) return { pairs: withReplaced(pairs, at, pair) };
  const grown = withAdded(pairs, pair);
  return grown.length > leafMax && depth < depthMax ? split(grown, depth) : { pairs: grown };
}

function split<Value>(pairs: readonly Pair<Value>[], depth: number): Node<Value> {
  let branch: Node<Value> = noNodes;
  for (const pair of pairs) branch = planted(branch, pair, hashOf(pair[0]) >>> (bits * depth), depth);
  return branch;
}

function cleared<Value>(node: Node<Value>, key: string, hash: number): Node<Value> {
  if (isBranch(node)) {
    const slot = hash % width;
    const nodes = withReplaced(node, slot, cleared(node[slot] ?? null, key, hash >>> bits));
    return nodes.every((each) => each === null) ? null : nodes;
  }
  const pairs = node?.pairs.filter(([other]) => other !== key) ?? [];
  return pairs.length === 0 ? null : { pairs };
}

function* under<Value>(node: Node<Value>): Generator<Value, void, undefined> {
  if (isBranch(node)) for (const each of node) yield* under(each);
  else if (node !== null) for (const [, value] of node.pairs) yield value;
}

/** FNV-1a, stirred once more at the end because only its low bits are used first. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function isBranch<Value>(node: Node<Value>): node is Branch<Value> {
  return Array.isArray(node);
}
