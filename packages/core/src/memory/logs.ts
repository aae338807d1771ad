import type { Json } from '../json.ts';
import {
  drop,
  findEntry,
  put,
  withEntry,
  entryBytes,
  type Entry,
  type EntryKind,
  type Memory,
} from './memory.ts';
import { logNames, type LogName, type MemorySettings } from './settings.ts';

const kinds = {
  think: 'think-log',
  evaluation: 'evaluation-log',
  command: 'command-log',
} as const satisfies { readonly [Name in LogName]: EntryKind };

/**
 * Adds a line to a log. Its entries are always numbered from 001 without a gap: when the log is full, the others move down
 * and the newest comes last.
 */
export function log(memory: Memory, name: LogName, text: string, at: number): Memory {
  return memory.settings.logs[name].enable ? appendLog(memory, name, text, at) : memory;
}

/** The same, whether or not the log is switched on: for what an earlier run has written. */
export function appendLog(memory: Memory, name: LogName, value: Json, at: number): Memory {
  const { maxEntries } = memory.settings.logs[name];
  const present = logEntries(memory, name);
  const kept = maxEntries === 1 ? [] : present.slice(1 - maxEntries);
  const moved = renumbered(memory, name, present, kept);
  return put(moved, { key: slotKey(memory, name, kept.length + 1), value, kind: kinds[name], at });
}

/** Moves entries down to where others were taken out. */
export function withoutGaps(memory: Memory): Memory {
  let closed = memory;
  for (const name of logNames) {
    const present = logEntries(memory, name);
    const hasGap = present.some(({ key }, index) => key !== slotKey(memory, name, index + 1));
    if (hasGap) closed = renumbered(closed, name, present, present);
  }
  return closed;
}

/** The entries of a log, the oldest first. */
export function logEntries(memory: Memory, name: LogName): readonly Entry[] {
  const { maxEntries } = memory.settings.logs[name];
  const found: Entry[] = [];
  for (let slot = 1; slot <= maxEntries; slot += 1) {
    const entry = findEntry(memory, slotKey(memory, name, slot));
    if (entry !== undefined) found.push(entry);
  }
  return found;
}

export type LogSlot = { readonly name: LogName; readonly slot: number };

/** All names a log ever had: a memory goes from one profile to the other. */
const otherPrefixes: { readonly [Name in LogName]: readonly string[] } = {
  think: ['think_log_', 'thinking_log_'],
  evaluation: ['evaluation_log_'],
  command: ['command_log_'],
};

/** The place in a log that a key stands for, or null. Nothing but the log may be written there. */
export function logSlotOf(settings: MemorySettings, key: string): LogSlot | null {
  for (const name of logNames) {
    const prefixes = [settings.logs[name].keyPrefix, ...otherPrefixes[name]];
    const prefix = prefixes.find((each) => key.startsWith(each));
    const digits = prefix === undefined ? '' : key.slice(prefix.length);
    if (/^\d{2,9}$/.test(digits)) return { name, slot: Number(digits) };
  }
  return null;
}

export function isLog(kind: EntryKind): boolean {
  return kind !== 'entry' && kind !== 'stub';
}

/** What a log is called as a whole: its prefix without the line at the end. */
export function logKeyOf(memory: Memory, kind: EntryKind): string | null {
  const name = logNames.find((each) => kinds[each] === kind);
  return name === undefined ? null : memory.settings.logs[name].keyPrefix.replace(/_$/, '');
}

function slotKey(memory: Memory, name: LogName, slot: number): string {
  return `${memory.settings.logs[name].keyPrefix}${String(slot).padStart(3, '0')}`;
}

function renumbered(
  memory: Memory,
  name: LogName,
  present: readonly Entry[],
  kept: readonly Entry[],
): Memory {
  const room = present.reduce((rest, { key }) => drop(rest, key), memory);
  return kept.reduce((rest, entry, index) => withEntry(rest, inSlot(rest, entry, name, index + 1)), room);
}

function inSlot(memory: Memory, entry: Entry, name: LogName, slot: number): Entry {
  const key = slotKey(memory, name, slot);
  return { ...entry, key, bytes: entryBytes(key, entry.value) };
}
