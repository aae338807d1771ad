import type { Json } from '@pawl/governor';
import { isLogKind, writeLog, findLogSlot, closeLogGaps, getLogKey } from './logs.ts';
import { parseMemoryAction, type MemoryAction, parseTagKey } from './memory-action.ts';
import {
  formatMemoryList,
  previewValue,
  suggestSimilarKeys,
  removeEntry,
  countEntryTokens,
  findEntry,
  putEntry,
  type WorkingMemory,
  countEntryBytes,
  listEntries,
  countMemoryTokens,
  type EntryInput,
  type MemoryEffect,
  type StoredEntry,
  type StorageSave,
  setEntry,
  type MemoryEntry,
  createPagedSave,
} from './memory.ts';
import {
  pageEntries,
  movedIndexKey,
  type MovedEntry,
  foldStub,
  replaceWithStub,
  listStubKeys,
  stubsMax,
} from './page-entries.ts';

export type MemoryActionOutcome = {
  readonly memory: WorkingMemory;
  /** The reply to the model. */
  readonly reply: string;
  /** Storage operations the caller must perform, in order, before it uses `memory`. */
  readonly effects: readonly MemoryEffect[];
  /**
   * `invalid`: the action could not be executed as given. `refused`: there is no room for it. Finding nothing is not an
   * error.
   */
  readonly error: { readonly kind: 'invalid' | 'refused'; readonly message: string } | null;
};

/**
 * Executes one memory action as the model gave it: `{ type, tags, value }`. Never throws. Every attempt is written to
 * the command log; a load or search is logged when its result arrives, by `applyLoadResult` or `applySearchResult`.
 */
export function applyMemoryAction(memory: WorkingMemory, input: unknown, at: number): MemoryActionOutcome {
  const parsed = parseMemoryAction(input, memory.settings.actions);
  if (!parsed.ok) return logAttempt(rejectInvalidAction(memory, parsed.message), describeAttempt(input), at);
  const result = executeMemoryAction(memory, parsed.action, at);
  const isWaiting = result.effects.some(({ kind }) => kind === 'storage-load' || kind === 'storage-search');
  return isWaiting ? result : logAttempt(result, describeAttempt(input), at);
}

/** Applies the storage result of a load or search; other actions need none. */
export function applyStorageResult(
  pending: MemoryActionOutcome,
  entries: readonly StoredEntry[],
  at: number,
): MemoryActionOutcome {
  const [effect] = pending.effects;
  switch (effect?.kind) {
    case 'storage-load':
      return applyLoadResult(pending.memory, effect.key, entries[0] ?? null, at);
    case 'storage-search': {
      const query = [...effect.tags, effect.text].filter((word) => word !== '').join(', ');
      return applySearchResult(pending.memory, query, entries, at);
    }
    default:
      return pending;
  }
}

/** Applies the result of a `storage-load`. */
export function applyLoadResult(
  memory: WorkingMemory,
  key: string,
  entry: StoredEntry | null,
  at: number,
): MemoryActionOutcome {
  const result =
    entry === null ? replyNotInStorage(memory, key) : addLoadedEntry(memory, key, entry.value, at);
  return logAttempt(result, `storage_load ${key}`, at);
}

/** Applies the result of a `storage-search`. */
export function applySearchResult(
  memory: WorkingMemory,
  query: string,
  entries: readonly StoredEntry[],
  at: number,
): MemoryActionOutcome {
  const lines = entries.map(({ key, value }) => `${key}: ${previewValue(value, 200)}`);
  const reply =
    entries.length === 0
      ? `Nothing in storage matches ${query}. Try fewer or other words.`
      : `Found ${entries.length} in storage; storage_load brings one into working memory.\n${lines.join('\n')}`;
  const outcome = createMemoryReply(memory, reply);
  if (!memory.settings.keepSearchResults) return logAttempt(outcome, `storage_search ${query}`, at);
  const keys = entries.map(({ key }) => key);
  const admitted = admitEntry(memory, { key: 'search_results', value: keys, at });
  const result = admitted.ok
    ? { ...outcome, memory: admitted.memory, effects: admitted.effects }
    : rejectForSpace(memory, admitted.message);
  return logAttempt(result, `storage_search ${query}`, at);
}

function executeMemoryAction(memory: WorkingMemory, action: MemoryAction, at: number): MemoryActionOutcome {
  switch (action.type) {
    case 'working_memory_add':
      return addMemoryEntry(memory, action.key, action.value, at);
    case 'working_memory_remove':
      return removeMemoryEntry(memory, action.key);
    case 'working_memory_list':
      return createMemoryReply(memory, formatMemoryList(memory));
    case 'working_memory_pin':
      return setEntryPinned(memory, action.key, true, at);
    case 'working_memory_unpin':
      return setEntryPinned(memory, action.key, false, at);
    case 'storage_save':
      return saveMemoryEntry(memory, action.key, action.value, at);
    case 'storage_load':
      return { ...createMemoryReply(memory, ''), effects: [{ kind: 'storage-load', key: action.key }] };
    case 'storage_search': {
      const tags = action.key === '' ? [] : parseTagKey(action.key);
      return {
        ...createMemoryReply(memory, ''),
        effects: [{ kind: 'storage-search', tags, text: action.text }],
      };
    }
    default:
      return action satisfies never;
  }
}

function addMemoryEntry(memory: WorkingMemory, key: string, value: Json, at: number): MemoryActionOutcome {
  if (isReservedKey(memory, key)) return rejectInvalidAction(memory, describeReservedKey(key));
  const admitted = admitEntry(memory, { key, value, at });
  if (!admitted.ok) return rejectForSpace(memory, admitted.message);
  const moved = admitted.effects.length;
  const pagingNote = moved === 0 ? '' : ` To make room, ${moved} older entries went to storage.`;
  return {
    ...createMemoryReply(admitted.memory, `Added ${key} to working memory.${pagingNote}`),
    effects: admitted.effects,
  };
}

function removeMemoryEntry(memory: WorkingMemory, key: string): MemoryActionOutcome {
  const entry = findEntry(memory, key);
  if (entry === undefined) return replyNotInMemory(memory, key);
  return createMemoryReply(closeLogGaps(removeEntry(memory, key)), `Removed ${key} from working memory.`);
}

function setEntryPinned(
  memory: WorkingMemory,
  key: string,
  pinned: boolean,
  at: number,
): MemoryActionOutcome {
  const entry = findEntry(memory, key);
  if (entry === undefined) return replyNotInMemory(memory, key);
  if (entry.kind === 'stub')
    return rejectInvalidAction(memory, `${key} is in storage. Load it with storage_load, then pin it.`);
  if (isLogKind(entry.kind))
    return rejectInvalidAction(
      memory,
      `${key} is part of a log, which turns over. Add a copy under other tags.`,
    );
  const next = putEntry(memory, { key, value: entry.value, pinned, at });
  return createMemoryReply(next, pinned ? `Pinned ${key}: it stays in working memory.` : `Unpinned ${key}.`);
}

/** Without a value, saves the working-memory entry with this key. */
function saveMemoryEntry(memory: WorkingMemory, key: string, input: Json, at: number): MemoryActionOutcome {
  const existing = findEntry(memory, key);
  if (input === null && existing?.kind === 'stub')
    return createMemoryReply(memory, `${key} is already in storage.`);
  const value = input ?? existing?.value ?? null;
  if (value === null) {
    const message = `storage_save needs a value for ${key}, or information with these tags in working memory.`;
    return rejectInvalidAction(memory, `${message}${suggestSimilarKeys(memory, key)}`);
  }
  const entry: StoredEntry = { key, value, kind: 'entry', savedAt: at };
  const effects: readonly MemoryEffect[] = [{ kind: 'storage-save', reason: 'requested', entry }];
  return { ...createMemoryReply(memory, `Saved ${key} to storage.`), effects };
}

function addLoadedEntry(memory: WorkingMemory, key: string, value: Json, at: number): MemoryActionOutcome {
  if (isReservedKey(memory, key)) return rejectInvalidAction(memory, describeReservedKey(key));
  const admitted = admitEntry(memory, { key, value, at });
  if (!admitted.ok) return rejectForSpace(memory, admitted.message);
  const entry = findEntry(admitted.memory, key);
  const tokens = entry === undefined ? 0 : countEntryTokens(entry);
  const reply = `Loaded ${key} into working memory, ${tokens} tokens: ${previewValue(value, 8_000)}`;
  return { ...createMemoryReply(admitted.memory, reply), effects: admitted.effects };
}

function replyNotInMemory(memory: WorkingMemory, key: string): MemoryActionOutcome {
  return createMemoryReply(memory, `There is no ${key} in working memory.${suggestSimilarKeys(memory, key)}`);
}

function replyNotInStorage(memory: WorkingMemory, key: string): MemoryActionOutcome {
  const existing = findEntry(memory, key);
  const isInMemory = existing !== undefined && existing.kind !== 'stub';
  const hint = isInMemory
    ? 'It is in working memory, though.'
    : 'storage_search finds keys by tags and words.';
  return createMemoryReply(memory, `There is no ${key} in storage. ${hint}`);
}

function isReservedKey(memory: WorkingMemory, key: string): boolean {
  return key === movedIndexKey || findLogSlot(memory.settings, key) !== null;
}

function describeReservedKey(key: string): string {
  return `${key} is written by the memory itself. Use other tags.`;
}

function createMemoryReply(memory: WorkingMemory, reply: string): MemoryActionOutcome {
  return { memory, reply, effects: [], error: null };
}

function rejectInvalidAction(memory: WorkingMemory, message: string): MemoryActionOutcome {
  return { memory, reply: message, effects: [], error: { kind: 'invalid', message } };
}

function rejectForSpace(memory: WorkingMemory, message: string): MemoryActionOutcome {
  return { memory, reply: message, effects: [], error: { kind: 'refused', message } };
}

/** Describes an attempt by its type, tags and value, whatever the input. */
function describeAttempt(input: unknown): string {
  if (typeof input !== 'object' || input === null) return previewValue(input, 100);
  const { type, tags, value } = input as { readonly [key: string]: unknown };
  const parts = [type, tags, value].filter((part) => part !== undefined);
  return parts.length === 0 ? 'nothing' : parts.map((part) => previewValue(part, 100)).join(' ');
}

function logAttempt(result: MemoryActionOutcome, attempt: string, at: number): MemoryActionOutcome {
  const outcome = result.error === null ? 'done' : result.error.kind;
  const line = `${attempt}: ${outcome}: ${previewValue(result.reply, 250)}`;
  return { ...result, memory: writeLog(result.memory, 'command', line, at) };
}

export type AdmissionResult =
  | { readonly ok: true; readonly memory: WorkingMemory; readonly effects: readonly StorageSave[] }
  | { readonly ok: false; readonly message: string };

/**
 * Adds an entry unless working memory would then reach its hard limit. Pages first if necessary; if that frees too
 * little, nothing changes.
 */
export function admitEntry(memory: WorkingMemory, entry: EntryInput): AdmissionResult {
  const { enable, maxTokens } = memory.settings.hardLimit;
  const added = putEntry(memory, entry);
  if (!enable || countMemoryTokens(added) < maxTokens) return { ok: true, memory: added, effects: [] };
  const paged = pageEntries(added, { limit: maxTokens, at: entry.at, protectedKey: entry.key });
  if (paged.fits) return { ok: true, memory: paged.memory, effects: paged.effects };
  return { ok: false, message: describeNoRoom(memory, entry) };
}

function describeNoRoom(memory: WorkingMemory, { key, value }: EntryInput): string {
  const { maxTokens } = memory.settings.hardLimit;
  const pinned = listEntries(memory).filter((entry) => entry.pinned);
  const tokens = pinned.reduce((sum, entry) => sum + countEntryTokens(entry), 0);
  const pinnedShare = pinned.length === 0 ? '' : `, of which ${tokens} are pinned and cannot be moved`;
  return (
    `${key} takes ${Math.ceil(countEntryBytes(key, value) / 4)} tokens and does not fit: working memory holds ${countMemoryTokens(memory)} ` +
    `tokens${pinnedShare}, and must stay below ${maxTokens}. Use storage_save for it, make it shorter, or remove or unpin something.`
  );
}

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
