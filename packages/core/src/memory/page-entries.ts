import { isLogKind, getLogKey, closeLogGaps } from './logs.ts';
import {
  listEntries,
  countEntryTokens,
  findEntry,
  countMemoryTokens,
  type MemoryEntry,
  type EntryKind,
  type WorkingMemory,
} from './memory.ts';
import { createPagedSave, type StorageSave } from './stored-entry.ts';
import { foldStub, replaceWithStub, listStubKeys, stubsMax, setMovedSummary } from './stub.ts';

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
