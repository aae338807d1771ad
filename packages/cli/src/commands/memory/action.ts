import type { Json } from '@pawl/core';
import { formatMemoryDocument } from '@pawl/core/lkj';
import { createMemory, memorySettings } from '@pawl/core/memory';
import { exportMemory } from '@pawl/runtime/memory';
import { storageLimits } from '@pawl/runtime/storage';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { importIntoDocument, importIntoStorage, type ImportSummary } from './import.ts';
import { searchMemoryEntries, formatMemoryEntry, listMemoryEntries, countTags } from './entries.ts';
import {
  openMemoryDocument,
  openMemorySource,
  resolveMemoryTarget,
  type MemorySource,
  type OpenMemoryDocument,
  type MemorySourceFlags,
  type MemoryTarget,
} from '../../memory/memory-source.ts';
import { writeFileAtomically } from '../../output/atomic-file.ts';
import { LineOutput } from '../../output/line-output.ts';

type MemoryCommandOptions = MemorySourceFlags & { readonly json?: boolean | undefined };
export type ListMemoryOptions = MemoryCommandOptions & { readonly tags?: boolean | undefined };
export type ExportMemoryOptions = MemorySourceFlags & {
  readonly out?: string | undefined;
  readonly force?: boolean | undefined;
};
export type ImportMemoryOptions = MemoryCommandOptions & {
  readonly merge?: boolean | undefined;
  readonly replace?: boolean | undefined;
};

const listValueCharacters = 100;
const searchValueCharacters = 300;

/** Lists a memory's entries, one per line, or its tags with their counts. */
export function listMemory(options: ListMemoryOptions, io: CommandIo): Promise<ExitCode> {
  return withMemorySource(options, io, async (source) => {
    const output = new LineOutput(io.stdout);
    if (options.tags === true) {
      for (const each of await countTags(listMemoryEntries(source))) {
        const line = `${String(each.entries).padStart(6)}  ${sanitizeOneLine(each.tag)}`;
        await output.write(options.json === true ? JSON.stringify(each) : line);
      }
      return;
    }
    for await (const row of listMemoryEntries(source)) {
      await output.write(
        options.json === true ? JSON.stringify(row) : formatMemoryEntry(row, listValueCharacters),
      );
      if (output.closed) return;
    }
  });
}

/** Searches entries by words. No match is a valid result. */
export function searchMemory(words: string, options: MemoryCommandOptions, io: CommandIo): Promise<ExitCode> {
  if (words.trim() === '')
    throw new UsageError('Enter words to search for, for example: pawl memory search plot');
  return withMemorySource(options, io, async (source) => {
    const output = new LineOutput(io.stdout);
    const matches = await searchMemoryEntries(source, words);
    for (const row of matches)
      await output.write(
        options.json === true ? JSON.stringify(row) : formatMemoryEntry(row, searchValueCharacters),
      );
    if (matches.length === 0) io.stderr.write(`No entry matches ${sanitizeOneLine(words)}.\n`);
    if (matches.length >= storageLimits.found)
      io.stderr.write('There may be more matches. Narrow the search to see them.\n');
  });
}

/** Exports a memory as one JSON object in the layout of a memory document. */
export function exportMemoryDocument(options: ExportMemoryOptions, io: CommandIo): Promise<ExitCode> {
  return withMemorySource(options, io, async (source) => {
    const text = `${JSON.stringify(await buildMemoryDocument(source), null, 2)}\n`;
    if (options.out === undefined) {
      io.stdout.write(text);
      return;
    }
    await writeFileAtomically(options.out, text, options.force === true);
    io.stderr.write(`Wrote ${JSON.stringify(options.out)}.\n`);
  });
}

/** Imports an exported memory into another one. The file is fully validated before anything is written. */
export async function importMemoryDocument(
  path: string,
  options: ImportMemoryOptions,
  io: CommandIo,
): Promise<ExitCode> {
  if (options.merge === true && options.replace === true)
    throw new UsageError('Use --merge or --replace, not both.');
  const target = await resolveMemoryTarget(options);
  const from = await openMemoryDocument(path);
  for (const warning of from.document.warnings) writeMemoryWarning(io, warning);
  const mode = options.replace === true ? 'replace' : 'merge';
  const summary = await importIntoTarget(target, from, mode);
  const { kind } = target;
  const text =
    options.json === true
      ? JSON.stringify({ kind, path: target.path, ...summary })
      : formatImportSummary(target.path, summary);
  io.stdout.write(`${text}\n`);
  return exitCodes.finished;
}

async function importIntoTarget(
  target: MemoryTarget,
  from: OpenMemoryDocument,
  mode: 'merge' | 'replace',
): Promise<ImportSummary> {
  if (target.kind === 'document') return importIntoDocument(target.path, from, mode);
  const storage = await target.openOrCreate();
  try {
    return await importIntoStorage(storage, from, mode);
  } finally {
    await storage.close();
  }
}

function formatImportSummary(
  path: string,
  { working_memory, storage, replaced, removed }: ImportSummary,
): string {
  const removedPart = removed === 0 ? '' : `, ${removed} removed`;
  return `Imported into ${JSON.stringify(path)}: ${working_memory} entries into working memory, ${storage} into storage; ${replaced} replaced${removedPart}.`;
}

async function withMemorySource(
  flags: MemorySourceFlags,
  io: CommandIo,
  work: (source: MemorySource) => Promise<void>,
): Promise<ExitCode> {
  const source = await openMemorySource(flags);
  try {
    const kindLabel = source.kind === 'storage' ? 'storage' : 'memory document';
    io.stderr.write(`Using the ${kindLabel} ${sanitizeOneLine(JSON.stringify(source.path))}.\n`);
    if (source.kind === 'document')
      for (const warning of source.document.warnings) writeMemoryWarning(io, warning);
    await work(source);
    return exitCodes.finished;
  } finally {
    if (source.kind === 'storage') await source.storage.close();
  }
}

function writeMemoryWarning(io: CommandIo, text: string): void {
  io.stderr.write(`Warning: ${sanitizeOneLine(text)}\n`);
}

function buildMemoryDocument(source: MemorySource): Promise<Json> | Json {
  if (source.kind === 'document') return formatMemoryDocument(source.document, source.layout);
  const emptyMemory = { memory: createMemory(memorySettings.lkj), state: 'thinking', extra: {} };
  return exportMemory(emptyMemory, source.storage);
}
