import { listEntries, type MemoryEntry, type WorkingMemory } from '@pawl/core/memory';
import {
  formatInteger,
  blankLine,
  truncateLine,
  padLine,
  wrapText,
  createSegment,
  justifyLine,
  elideMiddle,
  type StyledLine,
} from './styled-line.ts';
import type { ScreenModel, ScreenSize } from './screen-model.ts';

/** Renders working memory by key, with the value of the selected entry below. */
export function renderMemoryView(
  { session: { memory }, ui }: ScreenModel,
  { columns, rows }: ScreenSize,
): readonly StyledLine[] {
  if (memory === null) return [[createSegment('   This profile has no working memory.', 'dim')]];
  const entries = getSortedEntries(memory);
  if (entries.length === 0) return [[createSegment('   Working memory is empty.', 'dim')]];
  const selected = Math.min(ui.selectedEntry, entries.length - 1);
  const listRows = Math.max(1, Math.min(entries.length, Math.floor(rows / 2)));
  const first = Math.min(Math.max(0, selected - Math.floor(listRows / 2)), entries.length - listRows);
  const list = entries
    .slice(first, first + listRows)
    .map((entry, index) => renderMemoryEntry(entry, first + index === selected, columns));
  const entry = entries[selected];
  const value = entry === undefined ? [] : renderEntryValue(entry, columns);
  return [...list, blankLine, ...value].slice(0, rows);
}

export function countMemoryEntries({ session: { memory } }: ScreenModel): number {
  return memory === null ? 0 : memory.entries.size;
}

/** Caches sorted entries per memory version instead of sorting for each frame. */
const sortedEntriesCache = new WeakMap<WorkingMemory, readonly MemoryEntry[]>();

function getSortedEntries(memory: WorkingMemory): readonly MemoryEntry[] {
  const cached = sortedEntriesCache.get(memory);
  if (cached !== undefined) return cached;
  const entries = listEntries(memory).toSorted((one, other) => (one.key < other.key ? -1 : 1));
  sortedEntriesCache.set(memory, entries);
  return entries;
}

function renderMemoryEntry(entry: MemoryEntry, isSelected: boolean, columns: number): StyledLine {
  const marks = [entry.kind === 'entry' ? '' : entry.kind, entry.pinned ? 'pinned' : ''].filter(
    (mark) => mark !== '',
  );
  const right: StyledLine = [
    createSegment(marks.join(' '), 'dim'),
    createSegment(` ${formatInteger(Math.floor(entry.bytes / 4)).padStart(7)} tokens `, 'dim'),
  ];
  const left: StyledLine = [
    createSegment(isSelected ? ' ▸ ' : '   ', 'accent'),
    createSegment(entry.key, isSelected ? 'strong' : 'plain'),
  ];
  return justifyLine(left, right, columns);
}

/** Maximum characters of a value; `pawl memory` shows the rest. */
const maxValueCharacters = 8_000;

function renderEntryValue({ value }: MemoryEntry, columns: number): readonly StyledLine[] {
  const text = elideMiddle(
    typeof value === 'string' ? value : JSON.stringify(value, null, 2),
    maxValueCharacters,
  );
  return wrapText(text, Math.max(1, columns - 6)).map((row) =>
    truncateLine([...padLine([createSegment('   │', 'dim')], 5), createSegment(row)], columns),
  );
}
