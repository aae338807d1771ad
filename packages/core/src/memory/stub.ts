import { countOf, get } from '../json-fields.ts';
import { wordsMax } from './shelf-summary.ts';
import {
  drop,
  entriesOf,
  entryBytes,
  entryTokens,
  findEntry,
  put,
  type Entry,
  type Memory,
} from './memory.ts';

/**
 * What paging leaves behind. The last few entries that were moved have a stub of one line under their own key; older and
 * smaller ones are only counted, all in one entry, so that any number of moves takes up a few lines.
 */
export const stubsMax = 12;

/** The entry that counts. Nothing else may be written there. */
export const indexKey = 'moved_to_storage';

const beginningMax = 60;

/** The memory without an entry that has gone to storage, with a stub in its place if that is worth its room. */
export function stubbed(memory: Memory, entry: Entry, at: number): Memory {
  const value = lineAbout(entry);
  const without = drop(memory, entry.key);
  const isWorthIt = entry.kind === 'entry' && entryBytes(entry.key, value) * 2 < entry.bytes;
  return isWorthIt ? put(without, { key: entry.key, value, kind: 'stub', at }) : counted(without, at);
}

/** The memory with a stub counted instead of shown. */
export function folded(memory: Memory, key: string, at: number): Memory {
  return counted(drop(memory, key), at);
}

/** The keys of the stubs, the oldest first. */
export function stubKeys(memory: Memory): string[] {
  const stubs = entriesOf(memory).filter(({ kind, key }) => kind === 'stub' && key !== indexKey);
  return stubs.map(({ key }) => key);
}

/** The memory with a model's words about what was moved last. */
export function withWords(memory: Memory, words: string, at: number): Memory {
  const value = { ...indexIn(memory), about: words.slice(0, wordsMax) };
  return put(memory, { key: indexKey, value, kind: 'stub', at });
}

function counted(memory: Memory, at: number): Memory {
  const index = indexIn(memory);
  return put(memory, { key: indexKey, value: { ...index, entries: index.entries + 1 }, kind: 'stub', at });
}

/** A document may have been edited by hand, so anything may stand there. */
function indexIn(memory: Memory): {
  readonly entries: number;
  readonly find_with: string;
  readonly about?: string;
} {
  const held = findEntry(memory, indexKey)?.value;
  const about = get(held, 'about');
  const index = { entries: countOf(get(held, 'entries')) ?? 0, find_with: 'storage_search' };
  return typeof about === 'string' ? { ...index, about } : index;
}

function lineAbout(entry: Entry): string {
  const text = typeof entry.value === 'string' ? entry.value : JSON.stringify(entry.value);
  const line = text.slice(0, beginningMax).replaceAll(/\s+/g, ' ').trim();
  return `In storage, ${entryTokens(entry)} tokens; storage_load brings it back. It begins: ${line}…`;
}
