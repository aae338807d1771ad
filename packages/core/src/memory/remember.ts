import type { Json } from '../json.ts';
import { readMemoryAction, type MemoryAction } from './action.ts';
import { admit } from './admit.ts';
import { listed, shown, similarKeys } from './describe.ts';
import { isLog, log, logSlotOf, withoutGaps } from './logs.ts';
import { drop, entryTokens, findEntry, put, type Memory } from './memory.ts';
import type { MemoryEffect, StoredEntry } from './storage-entry.ts';
import { indexKey } from './stub.ts';
import { tagsOf } from './tags.ts';

export type Remembered = {
  readonly memory: Memory;
  /** What the model is told. */
  readonly reply: string;
  /** What the caller must now do to storage, in order, before `memory` is put to use. */
  readonly effects: readonly MemoryEffect[];
  /** `invalid`: it could not be carried out as given. `refused`: there is no room for it. Finding nothing is neither. */
  readonly error: { readonly kind: 'invalid' | 'refused'; readonly message: string } | null;
};

/**
 * Carries out one action on memory, given as a model gave it: `{ type, tags, value }`. Never throws. Every attempt is
 * written to the command log; that of a load or a search when its answer comes, with `loaded` or `searched`.
 */
export function remember(memory: Memory, given: unknown, at: number): Remembered {
  const read = readMemoryAction(given, memory.settings.actions);
  if (!read.ok) return logged(invalid(memory, read.message), attemptOf(given), at);
  const result = carryOut(memory, read.action, at);
  const isWaiting = result.effects.some(({ kind }) => kind === 'storage-load' || kind === 'storage-search');
  return isWaiting ? result : logged(result, attemptOf(given), at);
}

/** What storage has to say to a load or a search; anything else needs no answer. */
export function answer(asked: Remembered, found: readonly StoredEntry[], at: number): Remembered {
  const [effect] = asked.effects;
  switch (effect?.kind) {
    case 'storage-load':
      return loaded(asked.memory, effect.key, found[0] ?? null, at);
    case 'storage-search': {
      const words = [...effect.tags, effect.text].filter((word) => word !== '').join(', ');
      return searched(asked.memory, words, found, at);
    }
    default:
      return asked;
  }
}

/** What came of a `storage-load`. */
export function loaded(memory: Memory, key: string, found: StoredEntry | null, at: number): Remembered {
  const result = found === null ? notStored(memory, key) : broughtIn(memory, key, found.value, at);
  return logged(result, `storage_load ${key}`, at);
}

/** What came of a `storage-search`. */
export function searched(
  memory: Memory,
  asked: string,
  found: readonly StoredEntry[],
  at: number,
): Remembered {
  const lines = found.map(({ key, value }) => `${key}: ${shown(value, 200)}`);
  const reply =
    found.length === 0
      ? `Nothing in storage matches ${asked}. Try fewer or other words.`
      : `Found ${found.length} in storage; storage_load brings one into working memory.\n${lines.join('\n')}`;
  const done = said(memory, reply);
  if (!memory.settings.keepSearchResults) return logged(done, `storage_search ${asked}`, at);
  const keys = found.map(({ key }) => key);
  const kept = admit(memory, { key: 'search_results', value: keys, at });
  const result = kept.ok
    ? { ...done, memory: kept.memory, effects: kept.effects }
    : refused(memory, kept.message);
  return logged(result, `storage_search ${asked}`, at);
}

function carryOut(memory: Memory, action: MemoryAction, at: number): Remembered {
  switch (action.type) {
    case 'working_memory_add':
      return add(memory, action.key, action.value, at);
    case 'working_memory_remove':
      return remove(memory, action.key);
    case 'working_memory_list':
      return said(memory, listed(memory));
    case 'working_memory_pin':
      return pin(memory, action.key, true, at);
    case 'working_memory_unpin':
      return pin(memory, action.key, false, at);
    case 'storage_save':
      return save(memory, action.key, action.value, at);
    case 'storage_load':
      return { ...said(memory, ''), effects: [{ kind: 'storage-load', key: action.key }] };
    case 'storage_search': {
      const tags = action.key === '' ? [] : tagsOf(action.key);
      return { ...said(memory, ''), effects: [{ kind: 'storage-search', tags, text: action.text }] };
    }
    default:
      return action satisfies never;
  }
}

function add(memory: Memory, key: string, value: Json, at: number): Remembered {
  if (isReserved(memory, key)) return invalid(memory, reserved(key));
  const admitted = admit(memory, { key, value, at });
  if (!admitted.ok) return refused(memory, admitted.message);
  const moved = admitted.effects.length;
  const made = moved === 0 ? '' : ` To make room, ${moved} older entries went to storage.`;
  return { ...said(admitted.memory, `Added ${key} to working memory.${made}`), effects: admitted.effects };
}

function remove(memory: Memory, key: string): Remembered {
  const entry = findEntry(memory, key);
  if (entry === undefined) return notHeld(memory, key);
  return said(withoutGaps(drop(memory, key)), `Removed ${key} from working memory.`);
}

function pin(memory: Memory, key: string, pinned: boolean, at: number): Remembered {
  const entry = findEntry(memory, key);
  if (entry === undefined) return notHeld(memory, key);
  if (entry.kind === 'stub')
    return invalid(memory, `${key} is in storage. Load it with storage_load, then pin it.`);
  if (isLog(entry.kind))
    return invalid(memory, `${key} is part of a log, which turns over. Add a copy under other tags.`);
  const next = put(memory, { key, value: entry.value, pinned, at });
  return said(next, pinned ? `Pinned ${key}: it stays in working memory.` : `Unpinned ${key}.`);
}

/** Without a value, what working memory has under the key is saved. */
function save(memory: Memory, key: string, given: Json, at: number): Remembered {
  const held = findEntry(memory, key);
  if (given === null && held?.kind === 'stub') return said(memory, `${key} is already in storage.`);
  const value = given ?? held?.value ?? null;
  if (value === null) {
    const message = `storage_save needs a value for ${key}, or information with these tags in working memory.`;
    return invalid(memory, `${message}${similarKeys(memory, key)}`);
  }
  const entry: StoredEntry = { key, value, kind: 'entry', savedAt: at };
  const effects: readonly MemoryEffect[] = [{ kind: 'storage-save', why: 'asked', entry }];
  return { ...said(memory, `Saved ${key} to storage.`), effects };
}

function broughtIn(memory: Memory, key: string, value: Json, at: number): Remembered {
  if (isReserved(memory, key)) return invalid(memory, reserved(key));
  const admitted = admit(memory, { key, value, at });
  if (!admitted.ok) return refused(memory, admitted.message);
  const entry = findEntry(admitted.memory, key);
  const tokens = entry === undefined ? 0 : entryTokens(entry);
  const reply = `Loaded ${key} into working memory, ${tokens} tokens: ${shown(value, 8_000)}`;
  return { ...said(admitted.memory, reply), effects: admitted.effects };
}

function notHeld(memory: Memory, key: string): Remembered {
  return said(memory, `There is no ${key} in working memory.${similarKeys(memory, key)}`);
}

function notStored(memory: Memory, key: string): Remembered {
  const held = findEntry(memory, key);
  const isHere = held !== undefined && held.kind !== 'stub';
  const hint = isHere ? 'It is in working memory, though.' : 'storage_search finds keys by tags and words.';
  return said(memory, `There is no ${key} in storage. ${hint}`);
}

function isReserved(memory: Memory, key: string): boolean {
  return key === indexKey || logSlotOf(memory.settings, key) !== null;
}

function reserved(key: string): string {
  return `${key} is written by the memory itself. Use other tags.`;
}

function said(memory: Memory, reply: string): Remembered {
  return { memory, reply, effects: [], error: null };
}

function invalid(memory: Memory, message: string): Remembered {
  return { memory, reply: message, effects: [], error: { kind: 'invalid', message } };
}

function refused(memory: Memory, message: string): Remembered {
  return { memory, reply: message, effects: [], error: { kind: 'refused', message } };
}

/** Type, tags and value of an attempt, whatever it was that came. */
function attemptOf(given: unknown): string {
  if (typeof given !== 'object' || given === null) return shown(given, 100);
  const { type, tags, value } = given as { readonly [key: string]: unknown };
  const parts = [type, tags, value].filter((part) => part !== undefined);
  return parts.length === 0 ? 'nothing' : parts.map((part) => shown(part, 100)).join(' ');
}

function logged(result: Remembered, attempt: string, at: number): Remembered {
  const outcome = result.error === null ? 'done' : result.error.kind;
  const line = `${attempt}: ${outcome}: ${shown(result.reply, 250)}`;
  return { ...result, memory: log(result.memory, 'command', line, at) };
}
