import type { Json, JsonObject } from '@pawl/governor';
import { getJsonPath, isJsonObject, toOptionalList, toOptionalNumber } from '@pawl/governor/json';
import { describeJsonProblem, normalizeTags } from '../memory-action.ts';
import { appendLog, listLogEntries, findLogSlot, type LogSlot, isLogKind } from '../logs.ts';
import {
  createMemory,
  listEntries,
  findEntry,
  putEntry,
  setEntry,
  type MemoryEntry,
  type WorkingMemory,
  type StoredEntry,
} from '../memory.ts';
import { logNames, type MemorySettings } from '../settings.ts';
import { movedIndexKey } from '../page-entries.ts';
import { parseLkjState, type LkjProfile } from './config.ts';

/** The content of `data/memory.json`. */
export type LkjMemory = {
  readonly memory: WorkingMemory;
  readonly storage: readonly StoredEntry[];
  readonly state: string;
  /** Unknown keys, preserved as they are. */
  readonly extra: JsonObject;
};

export type ParsedMemoryDocument = LkjMemory & {
  /** Problems that were found or corrected. */
  readonly warnings: readonly string[];
};

export type MemoryDocumentOptions = {
  readonly profile: LkjProfile;
  readonly settings: MemorySettings;
  readonly at: number;
};

/** The keys of a memory document, for reading and writing. `pawl` holds metadata that has no other key. */
const documentKeys = {
  working: 'working_memory',
  storage: 'storage',
  state: 'state',
  metadata: 'pawl',
} as const;

/** Parses a memory document of either profile, including older layouts. Throws one error for any other input. */
export function parseMemoryDocument(json: unknown, options: MemoryDocumentOptions): ParsedMemoryDocument {
  const problem = describeJsonProblem(json);
  if (problem !== null) throw createDocumentError(`JSON, but ${problem}`);
  const document = json as Json;
  if (!isJsonObject(document)) throw createDocumentError('a JSON object');
  const warnings: string[] = [];
  const working = getDocumentSection(document, documentKeys.working, warnings);
  const metadata = getJsonPath(document, documentKeys.metadata);
  const { state, warning } = parseLkjState(getJsonPath(document, documentKeys.state), options.profile);
  if (warning !== null) warnings.push(warning);
  const logs = extractLogs([document, working], options.settings);
  const memory = addLogValues(
    addWorkingEntries(working, logs.keys, options),
    logs.values,
    options.at,
    warnings,
  );
  const storage = parseStoredEntries(
    getDocumentSection(document, documentKeys.storage, warnings),
    getJsonPath(metadata, 'storage'),
    options.at,
  );
  const known: readonly string[] = Object.values(documentKeys);
  const extra = Object.entries(document).filter(([key]) => !known.includes(key) && !logs.keys.has(key));
  return {
    memory: restoreEntryMetadata(memory, metadata),
    storage,
    state,
    extra: Object.fromEntries(extra),
    warnings,
  };
}

function getDocumentSection(document: JsonObject, name: string, warnings: string[]): JsonObject {
  const section = getJsonPath(document, name);
  if (section === undefined) {
    warnings.push(`The memory document has no ${name}; starting with an empty one.`);
    return {};
  }
  if (!isJsonObject(section)) throw createDocumentError(`an object as ${name}`);
  return section;
}

type LoggedValue = LogSlot & { readonly value: Json };
type ExtractedLogs = { readonly values: readonly LoggedValue[]; readonly keys: ReadonlySet<string> };

/** Extracts log entries from the top level, as in the oldest documents, or from working memory. */
function extractLogs(sections: readonly JsonObject[], settings: MemorySettings): ExtractedLogs {
  const keys = new Set<string>();
  const values = sections.flatMap((section) => {
    const logged: LoggedValue[] = [];
    for (const [key, value] of Object.entries(section)) {
      const slot = findLogSlot(settings, key);
      if (slot === null) continue;
      keys.add(key);
      if (!isBlankLogValue(value)) logged.push({ ...slot, value });
    }
    return logged.toSorted((a, b) => a.slot - b.slot);
  });
  return { values, keys };
}

/** How older documents represent removed log entries. */
function isBlankLogValue(value: Json): boolean {
  return value === '' || value === null || (isJsonObject(value) && Object.keys(value).length === 0);
}

function addWorkingEntries(
  working: JsonObject,
  logKeys: ReadonlySet<string>,
  options: MemoryDocumentOptions,
): WorkingMemory {
  const { settings, at } = options;
  let memory = createMemory(settings);
  for (const [name, value] of Object.entries(working)) {
    if (logKeys.has(name)) continue;
    const key = findFreeKey(name, (each) => findEntry(memory, each) !== undefined);
    memory = putEntry(memory, { key, value, kind: key === movedIndexKey ? 'stub' : 'entry', at });
  }
  return memory;
}

function addLogValues(
  memory: WorkingMemory,
  values: readonly LoggedValue[],
  at: number,
  warnings: string[],
): WorkingMemory {
  let filled = memory;
  for (const { name, value } of values) filled = appendLog(filled, name, value, at);
  for (const name of logNames) {
    const dropped = values.filter((each) => each.name === name).length - listLogEntries(filled, name).length;
    if (dropped > 0)
      warnings.push(`The ${name} log held ${dropped} more entries than its limit; the oldest were dropped.`);
  }
  return filled;
}

function parseStoredEntries(
  section: JsonObject,
  metadata: Json | undefined,
  at: number,
): readonly StoredEntry[] {
  const usedKeys = new Set<string>();
  return Object.entries(section).map(([name, value]): StoredEntry => {
    const key = findFreeKey(name, (each) => usedKeys.has(each));
    usedKeys.add(key);
    const kind = storedKinds.find((each) => each === getJsonPath(metadata, name, 'kind')) ?? 'entry';
    return { key, value, kind, savedAt: toOptionalNumber(getJsonPath(metadata, name, 'saved_at')) ?? at };
  });
}

const storedKinds = ['entry', 'think-log', 'evaluation-log', 'command-log', 'conversation'] as const;

/**
 * Converts a name from a file to a unique key, so that no entry is lost if two names normalize to the same key, or one
 * to none.
 */
function findFreeKey(name: string, isTaken: (key: string) => boolean): string {
  const tags = normalizeTags(name);
  const shorter = normalizeTags(name.slice(0, 400));
  const key = 'key' in tags ? tags.key : 'key' in shorter ? shorter.key : 'unnamed';
  let free = key;
  for (let copy = 2; isTaken(free); copy += 1) {
    const candidate = normalizeTags(`${key},copy_${copy}`);
    free = 'key' in candidate ? candidate.key : `copy_${copy}_${key.slice(0, 300)}`;
  }
  return free;
}

/** Restores the pins, times and order of entries that are still in the document. */
function restoreEntryMetadata(memory: WorkingMemory, metadata: Json | undefined): WorkingMemory {
  const getMetadata = (entry: MemoryEntry): Json | undefined => getJsonPath(metadata, 'entries', entry.key);
  const isKnown = (entry: MemoryEntry): boolean => isEntryOrder(getJsonPath(getMetadata(entry), 'order'));
  const entries = listEntries(memory);
  const known = entries.filter(isKnown).map((entry) => restoreEntry(entry, getMetadata(entry)));
  const next = getJsonPath(metadata, 'next_order');
  let result: WorkingMemory = { ...memory, nextOrder: isEntryOrder(next) ? next : 1 };
  for (const entry of known) result = setEntry(result, entry);
  // Entries added by hand come last, so that order numbers stay unique.
  for (const entry of entries)
    if (!isKnown(entry)) result = setEntry(result, { ...entry, order: result.nextOrder });
  return result;
}

function restoreEntry(entry: MemoryEntry, metadata: Json | undefined): MemoryEntry {
  const marks = toOptionalList(getJsonPath(metadata, 'marks')) ?? [];
  return {
    ...entry,
    order: toOptionalNumber(getJsonPath(metadata, 'order')) ?? entry.order,
    kind: marks.includes('stub') ? 'stub' : entry.kind,
    pinned: marks.includes('pinned'),
    addedAt: toOptionalNumber(getJsonPath(metadata, 'added_at')) ?? entry.addedAt,
    touchedAt: toOptionalNumber(getJsonPath(metadata, 'touched_at')) ?? entry.touchedAt,
  };
}

function isEntryOrder(value: Json | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

function createDocumentError(expected: string): TypeError {
  return new TypeError(`This is not a memory document: expected ${expected}.`);
}

/**
 * Formats the memory document. `lkj1` stores logs at the top level and `lkj` in working memory; either parser reads
 * both.
 */
export function formatMemoryDocument(
  { memory, storage, state, extra }: LkjMemory,
  profile: LkjProfile,
): { readonly [key: string]: Json } {
  const entries = listEntries(memory);
  const isTopLevel = ({ kind }: MemoryEntry): boolean => profile === 'lkj1' && isLogKind(kind);
  const metadata: Json = {
    version: 1,
    next_order: memory.nextOrder,
    entries: Object.fromEntries(entries.map((entry) => [entry.key, toEntryMetadata(entry)])),
    storage: Object.fromEntries(
      storage.map(({ key, kind, savedAt }) => [key, { kind, saved_at: savedAt }] as const),
    ),
  };
  // Object.fromEntries makes a key such as `__proto__` an ordinary field.
  return Object.fromEntries([
    [
      documentKeys.working,
      Object.fromEntries(entries.filter((entry) => !isTopLevel(entry)).map(toKeyValuePair)),
    ],
    [documentKeys.storage, Object.fromEntries(storage.map(toKeyValuePair))],
    [documentKeys.state, state],
    ...entries.filter(isTopLevel).map(toKeyValuePair),
    ...Object.entries(extra),
    [documentKeys.metadata, metadata],
  ]);
}

function toKeyValuePair({ key, value }: Pick<MemoryEntry, 'key' | 'value'>): readonly [string, Json] {
  return [key, value];
}

function toEntryMetadata({ order, addedAt, touchedAt, kind, pinned }: MemoryEntry): Json {
  const marks = [...(kind === 'stub' ? ['stub'] : []), ...(pinned ? ['pinned'] : [])];
  const metadata = { order, added_at: addedAt, touched_at: touchedAt };
  return marks.length === 0 ? metadata : { ...metadata, marks };
}
