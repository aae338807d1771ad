import type { Json } from '@pawl/governor';
import {
  removeEntry,
  findEntry,
  putEntry,
  setEntry,
  countEntryBytes,
  type MemoryEntry,
  type EntryKind,
  type WorkingMemory,
} from './memory.ts';
import { logNames, type MemoryLogName, type MemorySettings } from './settings.ts';

const logEntryKinds = {
  think: 'think-log',
  evaluation: 'evaluation-log',
  command: 'command-log',
} as const satisfies { readonly [Name in MemoryLogName]: EntryKind };

/**
 * Appends to a log. Entries are always numbered from 001 without gaps: when the log is full, the oldest is dropped, the
 * others move down and the newest comes last.
 */
export function writeLog(
  memory: WorkingMemory,
  name: MemoryLogName,
  text: string,
  at: number,
): WorkingMemory {
  return memory.settings.logs[name].enable ? appendLog(memory, name, text, at) : memory;
}

/** Appends even if the log is disabled, to restore what an earlier run has written. */
export function appendLog(
  memory: WorkingMemory,
  name: MemoryLogName,
  value: Json,
  at: number,
): WorkingMemory {
  const { maxEntries } = memory.settings.logs[name];
  const present = listLogEntries(memory, name);
  const retained = maxEntries === 1 ? [] : present.slice(1 - maxEntries);
  const moved = renumberLog(memory, name, present, retained);
  return putEntry(moved, {
    key: formatSlotKey(memory, name, retained.length + 1),
    value,
    kind: logEntryKinds[name],
    at,
  });
}

/** Renumbers log entries after a removal. */
export function closeLogGaps(memory: WorkingMemory): WorkingMemory {
  let closed = memory;
  for (const name of logNames) {
    const present = listLogEntries(memory, name);
    const hasGap = present.some(({ key }, index) => key !== formatSlotKey(memory, name, index + 1));
    if (hasGap) closed = renumberLog(closed, name, present, present);
  }
  return closed;
}

/** Returns the entries of a log, oldest first. */
export function listLogEntries(memory: WorkingMemory, name: MemoryLogName): readonly MemoryEntry[] {
  const { maxEntries } = memory.settings.logs[name];
  const entries: MemoryEntry[] = [];
  for (let slot = 1; slot <= maxEntries; slot += 1) {
    const entry = findEntry(memory, formatSlotKey(memory, name, slot));
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

export type LogSlot = { readonly name: MemoryLogName; readonly slot: number };

/** All prefixes a log has had, because a memory document can move between profiles. */
const knownLogPrefixes: { readonly [Name in MemoryLogName]: readonly string[] } = {
  think: ['think_log_', 'thinking_log_'],
  evaluation: ['evaluation_log_'],
  command: ['command_log_'],
};

/** Returns the log slot a key stands for, or null. Only the log itself may write there. */
export function findLogSlot(settings: MemorySettings, key: string): LogSlot | null {
  for (const name of logNames) {
    const prefixes = [settings.logs[name].keyPrefix, ...knownLogPrefixes[name]];
    const prefix = prefixes.find((each) => key.startsWith(each));
    const digits = prefix === undefined ? '' : key.slice(prefix.length);
    if (/^\d{2,9}$/.test(digits)) return { name, slot: Number(digits) };
  }
  return null;
}

export function isLogKind(kind: EntryKind): boolean {
  return kind !== 'entry' && kind !== 'stub';
}

/** Returns the key of a whole log: its prefix without the trailing underscore. */
export function getLogKey(memory: WorkingMemory, kind: EntryKind): string | null {
  const name = logNames.find((each) => logEntryKinds[each] === kind);
  return name === undefined ? null : memory.settings.logs[name].keyPrefix.replace(/_$/, '');
}

function formatSlotKey(memory: WorkingMemory, name: MemoryLogName, slot: number): string {
  return `${memory.settings.logs[name].keyPrefix}${String(slot).padStart(3, '0')}`;
}

function renumberLog(
  memory: WorkingMemory,
  name: MemoryLogName,
  present: readonly MemoryEntry[],
  retained: readonly MemoryEntry[],
): WorkingMemory {
  const cleared = present.reduce((rest, { key }) => removeEntry(rest, key), memory);
  return retained.reduce(
    (rest, entry, index) => setEntry(rest, moveToSlot(rest, entry, name, index + 1)),
    cleared,
  );
}

function moveToSlot(
  memory: WorkingMemory,
  entry: MemoryEntry,
  name: MemoryLogName,
  slot: number,
): MemoryEntry {
  const key = formatSlotKey(memory, name, slot);
  return { ...entry, key, bytes: countEntryBytes(key, entry.value) };
}
