import { emptyMemory, memoryDocument, memorySettings, type Json } from '@pawl/core';
import { exportMemory, storageLimits } from '@pawl/runtime';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import { importIntoDocument, importIntoStorage, type Imported } from './memory-import.ts';
import { foundIn, rowLine, rowsOf, tagCounts } from './memory-rows.ts';
import {
  openDocument,
  openSource,
  targetOf,
  type MemorySource,
  type OpenDocument,
  type SourceFlags,
  type Target,
} from './memory-source.ts';
import { writeWhole } from '../whole-file.ts';
import { LineOutput } from './line-output.ts';

type Common = SourceFlags & { readonly json?: boolean | undefined };
export type ListOptions = Common & { readonly tags?: boolean | undefined };
export type ExportOptions = SourceFlags & {
  readonly out?: string | undefined;
  readonly force?: boolean | undefined;
};
export type ImportOptions = Common & {
  readonly merge?: boolean | undefined;
  readonly replace?: boolean | undefined;
};

const listedChars = 100;
const foundChars = 300;

/** Shows what a memory holds, an entry a line; or its tags and how often each is used. */
export function listMemory(options: ListOptions, io: Io): Promise<ExitCode> {
  return withSource(options, io, async (source) => {
    const output = new LineOutput(io.stdout);
    if (options.tags === true) {
      for (const each of await tagCounts(rowsOf(source))) {
        const line = `${String(each.entries).padStart(6)}  ${visibleLine(each.tag)}`;
        await output.write(options.json === true ? JSON.stringify(each) : line);
      }
      return;
    }
    for await (const row of rowsOf(source)) {
      await output.write(options.json === true ? JSON.stringify(row) : rowLine(row, listedChars));
      if (output.closed) return;
    }
  });
}

/** Finds entries by words. Finding nothing is an answer, too. */
export function searchMemory(words: string, options: Common, io: Io): Promise<ExitCode> {
  if (words.trim() === '') throw new UsageError('Say what to look for, for example: pawl memory search plot');
  return withSource(options, io, async (source) => {
    const output = new LineOutput(io.stdout);
    const found = await foundIn(source, words);
    for (const row of found)
      await output.write(options.json === true ? JSON.stringify(row) : rowLine(row, foundChars));
    if (found.length === 0) io.stderr.write(`Nothing contains the words ${visibleLine(words)}.\n`);
    if (found.length >= storageLimits.found)
      io.stderr.write('There may be more: search for rarer words to see them.\n');
  });
}

/** Writes all of a memory as one JSON: the layout of a memory document. */
export function exportAll(options: ExportOptions, io: Io): Promise<ExitCode> {
  return withSource(options, io, async (source) => {
    const text = `${JSON.stringify(await documentOf(source), null, 2)}\n`;
    if (options.out === undefined) {
      io.stdout.write(text);
      return;
    }
    await writeWhole(options.out, text, options.force === true);
    io.stderr.write(`Wrote ${JSON.stringify(options.out)}.\n`);
  });
}

/** Puts what an exported memory holds into another. The file is read and checked whole before anything is written. */
export async function importAll(path: string, options: ImportOptions, io: Io): Promise<ExitCode> {
  if (options.merge === true && options.replace === true)
    throw new UsageError('Give --merge or --replace, not both.');
  const target = await targetOf(options);
  const from = await openDocument(path);
  for (const warning of from.document.warnings) warn(io, warning);
  const how = options.replace === true ? 'replace' : 'merge';
  const done = await put(target, from, how);
  const { kind } = target;
  const text =
    options.json === true ? JSON.stringify({ kind, path: target.path, ...done }) : told(target.path, done);
  io.stdout.write(`${text}\n`);
  return exitCodes.finished;
}

async function put(target: Target, from: OpenDocument, how: 'merge' | 'replace'): Promise<Imported> {
  if (target.kind === 'document') return importIntoDocument(target.path, from, how);
  const storage = await target.make();
  try {
    return await importIntoStorage(storage, from, how);
  } finally {
    await storage.close();
  }
}

function told(path: string, { working_memory, storage, replaced, removed }: Imported): string {
  const gone = removed === 0 ? '' : ` ${removed} that were there are gone.`;
  return `Imported into ${JSON.stringify(path)}: ${working_memory} into working memory, ${storage} into storage. ${replaced} took the place of something else.${gone}`;
}

async function withSource(
  flags: SourceFlags,
  io: Io,
  work: (source: MemorySource) => Promise<void>,
): Promise<ExitCode> {
  const source = await openSource(flags);
  try {
    const what = source.kind === 'storage' ? 'storage' : 'memory document';
    io.stderr.write(`Using the ${what} ${visibleLine(JSON.stringify(source.path))}.\n`);
    if (source.kind === 'document') for (const warning of source.document.warnings) warn(io, warning);
    await work(source);
    return exitCodes.finished;
  } finally {
    if (source.kind === 'storage') await source.storage.close();
  }
}

function warn(io: Io, text: string): void {
  io.stderr.write(`Warning: ${visibleLine(text)}\n`);
}

function documentOf(source: MemorySource): Promise<Json> | Json {
  if (source.kind === 'document') return memoryDocument(source.document, source.layout);
  const mind = { memory: emptyMemory(memorySettings.lkj), state: 'thinking', extra: {} };
  return exportMemory(mind, source.storage);
}
