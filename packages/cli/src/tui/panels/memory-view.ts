import { entriesOf, type Entry, type Memory } from '@pawl/core';
import { grouped } from '../bar.ts';
import { blank, fitted, padded, rowsOf, seg, spread, type Line } from '../line.ts';
import { clipped } from '../plain.ts';
import type { ScreenModel, Size } from '../screen.ts';

/** Working memory by key: the entries, and the value of the chosen one under them. */
export function memoryView(
  { session: { memory }, ui }: ScreenModel,
  { columns, rows }: Size,
): readonly Line[] {
  if (memory === null) return [[seg('   This profile has no working memory.', 'dim')]];
  const entries = entriesIn(memory);
  if (entries.length === 0) return [[seg('   Working memory is empty.', 'dim')]];
  const chosen = Math.min(ui.entry, entries.length - 1);
  const listRows = Math.max(1, Math.min(entries.length, Math.floor(rows / 2)));
  const first = Math.min(Math.max(0, chosen - Math.floor(listRows / 2)), entries.length - listRows);
  const list = entries
    .slice(first, first + listRows)
    .map((entry, index) => entryLine(entry, first + index === chosen, columns));
  const entry = entries[chosen];
  const value = entry === undefined ? [] : valueLines(entry, columns);
  return [...list, blank, ...value].slice(0, rows);
}

export function entryCount({ session: { memory } }: ScreenModel): number {
  return memory === null ? 0 : memory.entries.size;
}

/** Sorting is done once for each version of the memory, not for each frame. */
const sorted = new WeakMap<Memory, readonly Entry[]>();

function entriesIn(memory: Memory): readonly Entry[] {
  const before = sorted.get(memory);
  if (before !== undefined) return before;
  const entries = entriesOf(memory).toSorted((one, other) => (one.key < other.key ? -1 : 1));
  sorted.set(memory, entries);
  return entries;
}

function entryLine(entry: Entry, isChosen: boolean, columns: number): Line {
  const marks = [entry.kind === 'entry' ? '' : entry.kind, entry.pinned ? 'pinned' : ''].filter(
    (mark) => mark !== '',
  );
  const right: Line = [
    seg(marks.join(' '), 'dim'),
    seg(` ${grouped(Math.floor(entry.bytes / 4)).padStart(7)} tokens `, 'dim'),
  ];
  const left: Line = [seg(isChosen ? ' ▸ ' : '   ', 'accent'), seg(entry.key, isChosen ? 'strong' : 'plain')];
  return spread(left, right, columns);
}

/** More of a value than this is for `pawl memory`. */
const valueMax = 8_000;

function valueLines({ value }: Entry, columns: number): readonly Line[] {
  const text = clipped(typeof value === 'string' ? value : JSON.stringify(value, null, 2), valueMax);
  return rowsOf(text, Math.max(1, columns - 6)).map((row) =>
    fitted([...padded([seg('   │', 'dim')], 5), seg(row)], columns),
  );
}
