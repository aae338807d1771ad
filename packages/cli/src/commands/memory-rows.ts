import { entriesOf, tagsOf, type Entry, type Json, type ReadDocument, type StoredEntry } from '@pawl/core';
import { createInMemoryStorage, everyEntry, storageLimits } from '@pawl/runtime';
import { visibleLine } from '../visible.ts';
import type { MemorySource } from './memory-source.ts';

/** One entry of a memory, wherever it is. */
export type MemoryRow = {
  readonly place: 'working_memory' | 'storage';
  readonly key: string;
  readonly kind: Entry['kind'] | StoredEntry['kind'];
  readonly pinned: boolean;
  readonly at: number;
  readonly value: Json;
};

/** All there is: first what is at hand, then what is on the shelf. */
export async function* rowsOf(source: MemorySource): AsyncGenerator<MemoryRow, void, undefined> {
  if (source.kind === 'document') {
    yield* entriesOf(source.document.memory).map(workingRow);
    yield* source.document.storage.map(storedRow);
    return;
  }
  for await (const entry of everyEntry(source.storage)) yield storedRow(entry);
}

/** What has these words, the best first, at hand and on the shelf. */
export async function foundIn(source: MemorySource, text: string): Promise<readonly MemoryRow[]> {
  const query = { tags: [], text, limit: storageLimits.found };
  if (source.kind === 'storage') return (await source.storage.search(query)).map(storedRow);
  const { document } = source;
  const atHand = entriesOf(document.memory).filter(({ kind }) => kind !== 'stub');
  const found = new Set((await foundAmong(atHand.map(asStored), text)).map(({ key }) => key));
  const onShelf = await foundAmong(document.storage, text);
  return [...atHand.filter(({ key }) => found.has(key)).map(workingRow), ...onShelf.map(storedRow)];
}

async function foundAmong(entries: ReadDocument['storage'], text: string): Promise<readonly StoredEntry[]> {
  const storage = createInMemoryStorage();
  await storage.save(entries);
  return storage.search({ tags: [], text, limit: storageLimits.found });
}

/** An entry of working memory as storage would keep it. */
export function asStored({ key, value, kind, touchedAt }: Entry): StoredEntry {
  return { key, value, kind: kind === 'stub' ? 'entry' : kind, savedAt: touchedAt };
}

/** How often each tag is used, the most used first. Logs and stubs do not count. */
export async function tagCounts(
  rows: AsyncIterable<MemoryRow>,
): Promise<readonly { readonly tag: string; readonly entries: number }[]> {
  const counts = new Map<string, number>();
  for await (const { key, kind } of rows) {
    if (kind !== 'entry' && kind !== 'conversation') continue;
    for (const tag of tagsOf(key)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts]
    .map(([tag, entries]) => ({ tag, entries }))
    .toSorted((a, b) => b.entries - a.entries || (a.tag < b.tag ? -1 : 1));
}

/** A row on one line, with as much of its value as fits. */
export function rowLine({ place, key, kind, pinned, value }: MemoryRow, valueMax: number): string {
  const marks = [...(kind === 'entry' ? [] : [kind]), ...(pinned ? ['pinned'] : [])];
  const marked = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${place.padEnd(14)}  ${visibleLine(key)}${marked}: ${clipped(text, valueMax)}`;
}

function clipped(text: string, max: number): string {
  const shown = visibleLine(text.slice(0, max).toWellFormed());
  return text.length > max ? `${shown} …` : shown;
}

function workingRow({ key, kind, pinned, touchedAt, value }: Entry): MemoryRow {
  return { place: 'working_memory', key, kind, pinned, at: touchedAt, value };
}

function storedRow({ key, kind, savedAt, value }: StoredEntry): MemoryRow {
  return { place: 'storage', key, kind, pinned: false, at: savedAt, value };
}
