import { suggestSimilarKeys } from './describe-memory.ts';
import { isLogKind, getLogKey, closeLogGaps } from './logs.ts';
import {
  countEntryTokens,
  findEntry,
  countMemoryTokens,
  setEntry,
  type MemoryEntry,
  type WorkingMemory,
} from './memory.ts';
import type { MovedEntry } from './page-entries.ts';
import { createPagedSave, type StorageSave } from './stored-entry.ts';
import { foldStub, replaceWithStub, listStubKeys, stubsMax } from './stub.ts';

/** User commands on an entry: keep it in memory, allow it to be moved again, or move it to storage now. */
export const memoryCommands = ['pin', 'unpin', 'evict'] as const;
export type MemoryCommand = (typeof memoryCommands)[number];

export type MemoryCommandResult =
  | {
      readonly ok: true;
      readonly memory: WorkingMemory;
      readonly moved: readonly MovedEntry[];
      readonly freed: number;
      /** Saves that must complete before the entry may be discarded. */
      readonly effects: readonly StorageSave[];
    }
  | { readonly ok: false; readonly reason: string };

/**
 * Applies a user's command to an entry. It is not written to the command log, which records only the model's actions.
 */
export function applyMemoryCommand(
  memory: WorkingMemory,
  { action, key, at }: { readonly action: MemoryCommand; readonly key: string; readonly at: number },
): MemoryCommandResult {
  const entry = findEntry(memory, key);
  if (entry === undefined) return rejectMemoryCommand(describeMissingEntry(memory, key));
  if (entry.kind === 'stub') return rejectMemoryCommand(`${key} is in storage already`);
  if (action === 'evict') return evictEntry(memory, entry, at);
  if (isLogKind(entry.kind)) return rejectMemoryCommand(`${key} is part of a log, which turns over`);
  const pinned = action === 'pin';
  if (entry.pinned === pinned)
    return rejectMemoryCommand(`${key} is ${pinned ? 'pinned already' : 'not pinned'}`);
  return { ok: true, memory: setEntry(memory, { ...entry, pinned }), moved: [], freed: 0, effects: [] };
}

/** Moves this one entry to storage, as paging does. */
function evictEntry(memory: WorkingMemory, entry: MemoryEntry, at: number): MemoryCommandResult {
  const { key, kind, pinned } = entry;
  if (pinned) return rejectMemoryCommand(`${key} is pinned; unpin it first`);
  const withStub = replaceWithStub(memory, entry, at);
  const stubs = listStubKeys(withStub);
  const [oldest] = stubs;
  const folded = stubs.length > stubsMax && oldest !== undefined ? foldStub(withStub, oldest, at) : withStub;
  const after = closeLogGaps(folded);
  return {
    ok: true,
    memory: after,
    moved: [{ key, tokens: countEntryTokens(entry), reason: 'asked for' }],
    // The stub of a tiny entry can be longer than the entry.
    freed: Math.max(0, countMemoryTokens(memory) - countMemoryTokens(after)),
    effects: [createPagedSave(entry, getLogKey(memory, kind), at)],
  };
}

function rejectMemoryCommand(reason: string): MemoryCommandResult {
  return { ok: false, reason };
}

function describeMissingEntry(memory: WorkingMemory, key: string): string {
  const similar = suggestSimilarKeys(memory, key).replace(/\.$/, '');
  return `there is no ${key} in working memory${similar === '' ? '' : `.${similar}`}`;
}
