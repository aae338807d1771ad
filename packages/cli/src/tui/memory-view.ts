import type { Session } from '@pawl/core';
import {
  countMemoryTokens,
  getMemoryLimit,
  listEntries,
  type MemoryEntry,
  type WorkingMemory,
} from '@pawl/core/memory';
import {
  formatInteger,
  formatPercent,
  renderBar,
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

/** Renders how full memory and context are, then the entries by key, and the value of the selected one. */
export function renderMemoryView(model: ScreenModel, size: ScreenSize): readonly StyledLine[] {
  const capacity = renderCapacity(model.session, size.columns);
  const rows = Math.max(0, size.rows - capacity.length - 1);
  return [...capacity, blankLine, ...renderEntries(model, { columns: size.columns, rows })];
}

function renderEntries(
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

function renderCapacity(session: Session, columns: number): readonly StyledLine[] {
  const rows = computeCapacityUsage(session).map(({ name, used, max, share }): StyledLine => [
    ...padLine([createSegment(` ${name === 'memory' ? 'held' : name}`, 'dim')], 13),
    ...renderBar(share, 8),
    createSegment(` ${formatInteger(used)}/${formatInteger(max)}`),
  ]);
  const { memory } = session;
  const entries: readonly StyledLine[] =
    memory === null
      ? [[createSegment(' none in this profile', 'dim')]]
      : [
          [
            createSegment(
              ` ${[formatItemCount(memory.entries.size, 'entry'), formatWindowShare(session)].filter((text) => text !== '').join(', ')}`,
              'dim',
            ),
          ],
        ];
  return [...rows, ...entries].map((line) => truncateLine(line, columns));
}

function formatItemCount(count: number, singular: string): string {
  const plural = singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
  return `${formatInteger(count)} ${count === 1 ? singular : plural}`;
}

/** Formats the share of the context window that working memory takes. */
function formatWindowShare({ memory, settings: { windowTokens } }: Session): string {
  if (memory === null || windowTokens === null || windowTokens <= 0) return '';
  return `${formatPercent(countMemoryTokens(memory) / windowTokens)} of the window`;
}

type CapacityUsage = {
  readonly name: string;
  readonly used: number;
  readonly max: number;
  readonly share: number;
};

function computeCapacityUsage({ memory, window, settings }: Session): readonly CapacityUsage[] {
  const memoryUsage: readonly CapacityUsage[] =
    memory === null
      ? []
      : [toCapacityUsage('memory', countMemoryTokens(memory), getMemoryLimit(memory.settings))];
  const { windowTokens } = settings;
  return window === null || windowTokens === null
    ? memoryUsage
    : [...memoryUsage, toCapacityUsage('window', window.tokens, windowTokens)];
}

function toCapacityUsage(name: string, used: number, max: number): CapacityUsage {
  return { name, used, max, share: max > 0 ? used / max : 1 };
}
