import { appendArrayItem, replaceArrayItem } from '../array-copy.ts';

/*
 * A persistent map with string keys: changing one key copies a few short arrays, however many keys there are, and
 * earlier versions stay valid. It is plain JSON, and any string is a safe key, because keys occur only as values.
 *
 * It is a hash trie. A branch is an array of sixteen nodes, selected by four bits of the key's hash; a leaf holds a few
 * pairs.
 */
type DictionaryLeaf<Value> = { readonly pairs: readonly DictionaryPair<Value>[] };
type DictionaryPair<Value> = readonly [key: string, value: Value];
type DictionaryNode<Value> = null | DictionaryLeaf<Value> | DictionaryBranch<Value>;
type DictionaryBranch<Value> = readonly DictionaryNode<Value>[];

export type PersistentDictionary<Value> = { readonly size: number; readonly root: DictionaryNode<Value> };

const bitsPerLevel = 4;
const branchWidth = 1 << bitsPerLevel;
const leafMax = 8;
/** Below this depth the hash has no bits left to distinguish keys, so a leaf grows without a limit. */
const dictionaryDepthMax = 32 / bitsPerLevel;
const emptyBranch: DictionaryBranch<never> = Array.from({ length: branchWidth }, () => null);

export const emptyDictionary: PersistentDictionary<never> = { size: 0, root: null };

export function getDictionaryValue<Value>(
  dictionary: PersistentDictionary<Value>,
  key: string,
): Value | undefined {
  let node = dictionary.root;
  for (let hash = hashKey(key); isBranch(node); hash >>>= bitsPerLevel)
    node = node[hash % branchWidth] ?? null;
  return node?.pairs.find(([other]) => other === key)?.[1];
}

export function setDictionaryValue<Value>(
  dictionary: PersistentDictionary<Value>,
  key: string,
  value: Value,
): PersistentDictionary<Value> {
  const isNew = getDictionaryValue(dictionary, key) === undefined;
  const root = insertPair(dictionary.root, [key, value], hashKey(key), 0);
  return { size: dictionary.size + (isNew ? 1 : 0), root };
}

export function deleteDictionaryKey<Value>(
  dictionary: PersistentDictionary<Value>,
  key: string,
): PersistentDictionary<Value> {
  if (getDictionaryValue(dictionary, key) === undefined) return dictionary;
  return { size: dictionary.size - 1, root: removeKey(dictionary.root, key, hashKey(key)) };
}

/** Iterates in an order that depends on the keys alone. */
export function* iterateDictionary<Value>(
  dictionary: PersistentDictionary<Value>,
): Generator<Value, void, undefined> {
  yield* iterateNode(dictionary.root);
}

function insertPair<Value>(
  node: DictionaryNode<Value>,
  pair: DictionaryPair<Value>,
  hash: number,
  depth: number,
): DictionaryNode<Value> {
  if (isBranch(node)) {
    const slot = hash % branchWidth;
    return replaceArrayItem(
      node,
      slot,
      insertPair(node[slot] ?? null, pair, hash >>> bitsPerLevel, depth + 1),
    );
  }
  const pairs = node?.pairs ?? [];
  const at = pairs.findIndex(([key]) => key === pair[0]);
  if (at !== -1) return { pairs: replaceArrayItem(pairs, at, pair) };
  const grown = appendArrayItem(pairs, pair);
  return grown.length > leafMax && depth < dictionaryDepthMax ? splitLeaf(grown, depth) : { pairs: grown };
}

function splitLeaf<Value>(pairs: readonly DictionaryPair<Value>[], depth: number): DictionaryNode<Value> {
  let branch: DictionaryNode<Value> = emptyBranch;
  for (const pair of pairs)
    branch = insertPair(branch, pair, hashKey(pair[0]) >>> (bitsPerLevel * depth), depth);
  return branch;
}

function removeKey<Value>(node: DictionaryNode<Value>, key: string, hash: number): DictionaryNode<Value> {
  if (isBranch(node)) {
    const slot = hash % branchWidth;
    const nodes = replaceArrayItem(node, slot, removeKey(node[slot] ?? null, key, hash >>> bitsPerLevel));
    return nodes.every((each) => each === null) ? null : nodes;
  }
  const pairs = node?.pairs.filter(([other]) => other !== key) ?? [];
  return pairs.length === 0 ? null : { pairs };
}

function* iterateNode<Value>(node: DictionaryNode<Value>): Generator<Value, void, undefined> {
  if (isBranch(node)) for (const each of node) yield* iterateNode(each);
  else if (node !== null) for (const [, value] of node.pairs) yield value;
}

/** FNV-1a with a final mix, because the low bits are used first. */
function hashKey(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

function isBranch<Value>(node: DictionaryNode<Value>): node is DictionaryBranch<Value> {
  return Array.isArray(node);
}
