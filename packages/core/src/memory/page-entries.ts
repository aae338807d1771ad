import { toOptionalCount, getJsonPath } from '@pawl/governor/json';
import { summaryTextMax } from './compact-messages.ts';
import { isLogKind, getLogKey, closeLogGaps } from './logs.ts';
import {
  listEntries,
  countEntryTokens,
  findEntry,
  countMemoryTokens,
  type MemoryEntry,
  type EntryKind,
  type WorkingMemory,
  removeEntry,
  countEntryBytes,
  putEntry,
  createPagedSave,
  type StorageSave,
} from './memory.ts';

export type PagingOptions = {
  /** Paging runs only at or above this many tokens. */
  readonly limit: number;
  /** Paging stops at this many tokens or fewer; defaults to four fifths of the limit. */
  readonly target?: number;
  readonly at: number;
  /** The model's summary of the moved entries; omitted if there is no room for it. */
  readonly summary?: string;
  /** Key of an entry that must stay, pinned or not. */
  readonly protectedKey?: string;
};

export type MovedEntry = {
  readonly key: string;
  readonly tokens: number;
  readonly reason: 'old log' | 'least recently used' | 'asked for';
};

export type PagingResult = {
  readonly memory: WorkingMemory;
  readonly moved: readonly MovedEntry[];
  /** Saves that must complete before `memory` is used, so that every entry is always in at least one place. */
  readonly effects: readonly StorageSave[];
  /** Tokens before paging. */
  readonly heldTokens: number;
  readonly freed: number;
  /** Whether the remaining tokens are below the limit. */
  readonly fits: boolean;
  /** Paging was due and freed less than a tenth of the held tokens, so it will be due again at once. */
  readonly freedTooLittle: boolean;
};

/**
 * Moves as few entries as necessary to storage, in the order of `comparePagingOrder`. Pinned entries and stubs stay.
 * The cost is one sort of the entries.
 */
export function pageEntries(memory: WorkingMemory, options: PagingOptions): PagingResult {
  const { limit, at, summary } = options;
  const target = Math.min(options.target ?? Math.floor(limit * 0.8), limit - 1);
  const heldTokens = countMemoryTokens(memory);
  if (heldTokens < limit) return createPagingResult(memory, [], { memory, limit, at });
  const candidates = listPagingCandidates(memory, options.protectedKey);
  const stubs = listStubKeys(memory);
  let remaining = memory;
  let count = 0;
  for (; count < candidates.length && countMemoryTokens(remaining) > target; count += 1) {
    const { entry } = candidates[count] as PagingCandidate;
    remaining = replaceWithStub(remaining, entry, at);
    if (findEntry(remaining, entry.key) !== undefined) stubs.push(entry.key);
    if (stubs.length > stubsMax) remaining = foldStub(remaining, stubs.shift() as string, at);
  }
  while (stubs.length > 0 && countMemoryTokens(remaining) > target)
    remaining = foldStub(remaining, stubs.shift() as string, at);
  // A few tiny entries can be smaller than the stub that would replace them.
  if (countMemoryTokens(remaining) >= heldTokens)
    return createPagingResult(memory, [], { memory, limit, at });
  const summarized = summary === undefined ? remaining : setMovedSummary(remaining, summary, at);
  const after = closeLogGaps(
    countMemoryTokens(summarized) < Math.min(heldTokens, limit) ? summarized : remaining,
  );
  return createPagingResult(memory, candidates.slice(0, count), { memory: after, limit, at });
}

type PagingCandidate = { readonly entry: MemoryEntry; readonly reason: MovedEntry['reason'] };

function listPagingCandidates(
  memory: WorkingMemory,
  protectedKey: string | undefined,
): readonly PagingCandidate[] {
  const entries = listEntries(memory);
  const newestByKind = new Map<EntryKind, MemoryEntry>();
  for (const entry of entries) if (isLogKind(entry.kind)) newestByKind.set(entry.kind, entry);
  return entries
    .filter(({ kind, pinned, key }) => kind !== 'stub' && !pinned && key !== protectedKey)
    .map((entry): PagingCandidate => {
      const isOldLog = isLogKind(entry.kind) && newestByKind.get(entry.kind) !== entry;
      return { entry, reason: isOldLog ? 'old log' : 'least recently used' };
    })
    .toSorted(comparePagingOrder);
}

/**
 * Old log entries go first, because they have been acted on. Then the least recently touched; among entries touched at
 * the same time the larger one, so that fewer must go, and then the earlier one, so that the order is total.
 */
function comparePagingOrder(a: PagingCandidate, b: PagingCandidate): number {
  return (
    Number(b.reason === 'old log') - Number(a.reason === 'old log') ||
    a.entry.touchedAt - b.entry.touchedAt ||
    b.entry.bytes - a.entry.bytes ||
    a.entry.order - b.entry.order
  );
}

function createPagingResult(
  before: WorkingMemory,
  movedCandidates: readonly PagingCandidate[],
  after: { readonly memory: WorkingMemory; readonly limit: number; readonly at: number },
): PagingResult {
  const heldTokens = countMemoryTokens(before);
  const remainingTokens = countMemoryTokens(after.memory);
  return {
    memory: after.memory,
    moved: movedCandidates.map(({ entry, reason }) => ({
      key: entry.key,
      tokens: countEntryTokens(entry),
      reason,
    })),
    effects: movedCandidates.map(({ entry }) =>
      createPagedSave(entry, getLogKey(before, entry.kind), after.at),
    ),
    heldTokens,
    freed: heldTokens - remainingTokens,
    fits: remainingTokens < after.limit,
    freedTooLittle: heldTokens >= after.limit && heldTokens - remainingTokens < heldTokens / 10,
  };
}

/**
 * What paging leaves behind. The most recently moved entries have a one-line stub under their own key; older and
 * smaller ones are only counted, in one entry, so that any number of moves takes a few lines.
 */
export const stubsMax = 12;

/** Key of the entry that counts the moved entries. Nothing else may be written there. */
export const movedIndexKey = 'moved_to_storage';

const stubPreviewMax = 60;

/** Removes an entry that was moved to storage, and adds a stub if it saves enough room. */
export function replaceWithStub(memory: WorkingMemory, entry: MemoryEntry, at: number): WorkingMemory {
  const value = formatStub(entry);
  const removed = removeEntry(memory, entry.key);
  const isWorthIt = entry.kind === 'entry' && countEntryBytes(entry.key, value) * 2 < entry.bytes;
  return isWorthIt
    ? putEntry(removed, { key: entry.key, value, kind: 'stub', at })
    : countMovedEntry(removed, at);
}

/** Replaces a stub by counting it in the moved index. */
export function foldStub(memory: WorkingMemory, key: string, at: number): WorkingMemory {
  return countMovedEntry(removeEntry(memory, key), at);
}

/** Returns the keys of the stubs, oldest first. */
export function listStubKeys(memory: WorkingMemory): string[] {
  const stubs = listEntries(memory).filter(({ kind, key }) => kind === 'stub' && key !== movedIndexKey);
  return stubs.map(({ key }) => key);
}

/** Sets the model's summary of the entries moved last. */
function setMovedSummary(memory: WorkingMemory, summary: string, at: number): WorkingMemory {
  const value = { ...readMovedIndex(memory), about: summary.slice(0, summaryTextMax) };
  return putEntry(memory, { key: movedIndexKey, value, kind: 'stub', at });
}

function countMovedEntry(memory: WorkingMemory, at: number): WorkingMemory {
  const index = readMovedIndex(memory);
  return putEntry(memory, {
    key: movedIndexKey,
    value: { ...index, entries: index.entries + 1 },
    kind: 'stub',
    at,
  });
}

/** Validates the index, because the document may have been edited by hand. */
function readMovedIndex(memory: WorkingMemory): {
  readonly entries: number;
  readonly find_with: string;
  readonly about?: string;
} {
  const stored = findEntry(memory, movedIndexKey)?.value;
  const about = getJsonPath(stored, 'about');
  const index = {
    entries: toOptionalCount(getJsonPath(stored, 'entries')) ?? 0,
    find_with: 'storage_search',
  };
  return typeof about === 'string' ? { ...index, about } : index;
}

function formatStub(entry: MemoryEntry): string {
  const text = typeof entry.value === 'string' ? entry.value : JSON.stringify(entry.value);
  const line = text.slice(0, stubPreviewMax).replaceAll(/\s+/g, ' ').trim();
  return `In storage, ${countEntryTokens(entry)} tokens; storage_load brings it back. It begins: ${line}…`;
}
