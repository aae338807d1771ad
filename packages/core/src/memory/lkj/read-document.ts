import { isObject, listOf, numberOf, get, type JsonObject } from '../../json-fields.ts';
import type { Json } from '../../json.ts';
import { jsonFault } from '../json-fault.ts';
import { appendLog, logEntries, logSlotOf, type LogSlot } from '../logs.ts';
import { emptyMemory, entriesOf, findEntry, put, withEntry, type Entry, type Memory } from '../memory.ts';
import { logNames, type MemorySettings } from '../settings.ts';
import type { StoredEntry } from '../storage-entry.ts';
import { indexKey } from '../stub.ts';
import { normalTags } from '../tags.ts';
import { readLkjState, type LkjProfile } from './states.ts';

/** What `data/memory.json` holds. */
export type LkjMemory = {
  readonly memory: Memory;
  readonly storage: readonly StoredEntry[];
  readonly state: string;
  /** Keys that mean nothing here, kept as they came. */
  readonly extra: JsonObject;
};

export type ReadDocument = LkjMemory & {
  /** What was missing or had to be put right. */
  readonly warnings: readonly string[];
};

export type ReadDocumentOptions = {
  readonly profile: LkjProfile;
  readonly settings: MemorySettings;
  readonly at: number;
};

/** The layout of a memory document, the same for reading and writing. `pawl` has what the rest has no place for. */
export const documentKeys = {
  working: 'working_memory',
  storage: 'storage',
  state: 'state',
  more: 'pawl',
} as const;

/** Reads a memory document of either profile, also in older layouts. Throws one error for anything else. */
export function readMemoryDocument(json: unknown, options: ReadDocumentOptions): ReadDocument {
  const fault = jsonFault(json);
  if (fault !== null) throw broken(`JSON, but ${fault}`);
  const document = json as Json;
  if (!isObject(document)) throw broken('a JSON object');
  const warnings: string[] = [];
  const working = sectionOf(document, documentKeys.working, warnings);
  const more = get(document, documentKeys.more);
  const { state, warning } = readLkjState(get(document, documentKeys.state), options.profile);
  if (warning !== null) warnings.push(warning);
  const found = takeLogs([document, working], options.settings);
  const memory = withLogs(withEntries(working, found.keys, options), found.values, options.at, warnings);
  const storage = storedIn(
    sectionOf(document, documentKeys.storage, warnings),
    get(more, 'storage'),
    options.at,
  );
  const known: readonly string[] = Object.values(documentKeys);
  const extra = Object.entries(document).filter(([key]) => !known.includes(key) && !found.keys.has(key));
  return { memory: asTheyWere(memory, more), storage, state, extra: Object.fromEntries(extra), warnings };
}

function sectionOf(document: JsonObject, name: string, warnings: string[]): JsonObject {
  const section = get(document, name);
  if (section === undefined) {
    warnings.push(`The memory document has no ${name}: it begins empty.`);
    return {};
  }
  if (!isObject(section)) throw broken(`an object as ${name}`);
  return section;
}

type LogValue = LogSlot & { readonly value: Json };
type FoundLogs = { readonly values: readonly LogValue[]; readonly keys: ReadonlySet<string> };

/** Log entries wherever they stand: at the top of the document, as in the oldest ones, or in working memory. */
function takeLogs(places: readonly JsonObject[], settings: MemorySettings): FoundLogs {
  const keys = new Set<string>();
  const values = places.flatMap((place) => {
    const found: LogValue[] = [];
    for (const [key, value] of Object.entries(place)) {
      const slot = logSlotOf(settings, key);
      if (slot === null) continue;
      keys.add(key);
      if (!isBlanked(value)) found.push({ ...slot, value });
    }
    return found.toSorted((a, b) => a.slot - b.slot);
  });
  return { values, keys };
}

/** How removed log entries once looked. */
function isBlanked(value: Json): boolean {
  return value === '' || value === null || (isObject(value) && Object.keys(value).length === 0);
}

function withEntries(
  working: JsonObject,
  logKeys: ReadonlySet<string>,
  options: ReadDocumentOptions,
): Memory {
  const { settings, at } = options;
  let memory = emptyMemory(settings);
  for (const [name, value] of Object.entries(working)) {
    if (logKeys.has(name)) continue;
    const key = freeKey(name, (each) => findEntry(memory, each) !== undefined);
    memory = put(memory, { key, value, kind: key === indexKey ? 'stub' : 'entry', at });
  }
  return memory;
}

function withLogs(memory: Memory, found: readonly LogValue[], at: number, warnings: string[]): Memory {
  let filled = memory;
  for (const { name, value } of found) filled = appendLog(filled, name, value, at);
  for (const name of logNames) {
    const dropped = found.filter((each) => each.name === name).length - logEntries(filled, name).length;
    if (dropped > 0)
      warnings.push(`The ${name} log held ${dropped} entries more than it may; the oldest are gone.`);
  }
  return filled;
}

function storedIn(section: JsonObject, more: Json | undefined, at: number): readonly StoredEntry[] {
  const taken = new Set<string>();
  return Object.entries(section).map(([name, value]): StoredEntry => {
    const key = freeKey(name, (each) => taken.has(each));
    taken.add(key);
    const kind = storedKinds.find((each) => each === get(more, name, 'kind')) ?? 'entry';
    return { key, value, kind, savedAt: numberOf(get(more, name, 'saved_at')) ?? at };
  });
}

const storedKinds = ['entry', 'think-log', 'evaluation-log', 'command-log', 'conversation'] as const;

/** A name from a file as a key. Nothing is lost when two names come to the same key, or a name to none. */
function freeKey(name: string, isTaken: (key: string) => boolean): string {
  const tags = normalTags(name);
  const shorter = normalTags(name.slice(0, 400));
  const key = 'key' in tags ? tags.key : 'key' in shorter ? shorter.key : 'unnamed';
  let free = key;
  for (let copy = 2; isTaken(free); copy += 1) {
    const again = normalTags(`${key},copy_${copy}`);
    free = 'key' in again ? again.key : `copy_${copy}_${key.slice(0, 300)}`;
  }
  return free;
}

/** Pins, times and the order of entries, for those that still stand where they stood when they were written down. */
function asTheyWere(memory: Memory, more: Json | undefined): Memory {
  const factsOf = (entry: Entry): Json | undefined => get(more, 'entries', entry.key);
  const isKnown = (entry: Entry): boolean => isOrder(get(factsOf(entry), 'order'));
  const entries = entriesOf(memory);
  const known = entries.filter(isKnown).map((entry) => restored(entry, factsOf(entry)));
  const next = get(more, 'next_order');
  let result: Memory = { ...memory, nextOrder: isOrder(next) ? next : 1 };
  for (const entry of known) result = withEntry(result, entry);
  // What has been added by hand comes last, so that no two entries share a number.
  for (const entry of entries)
    if (!isKnown(entry)) result = withEntry(result, { ...entry, order: result.nextOrder });
  return result;
}

function restored(entry: Entry, facts: Json | undefined): Entry {
  const marks = listOf(get(facts, 'marks')) ?? [];
  return {
    ...entry,
    order: numberOf(get(facts, 'order')) ?? entry.order,
    kind: marks.includes('stub') ? 'stub' : entry.kind,
    pinned: marks.includes('pinned'),
    addedAt: numberOf(get(facts, 'added_at')) ?? entry.addedAt,
    touchedAt: numberOf(get(facts, 'touched_at')) ?? entry.touchedAt,
  };
}

function isOrder(value: Json | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

function broken(expected: string): TypeError {
  return new TypeError(`This is not a memory document: expected ${expected}.`);
}
