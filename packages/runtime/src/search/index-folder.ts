import { readdir, realpath, stat } from 'node:fs/promises';
import { openPassageDatabase } from './database.ts';
import type { IndexLimits } from './limits.ts';
import { indexLimits } from './limits.ts';
import type { SearchResult } from './search.ts';
import { searchPassages } from './search.ts';
import { getSystemErrorCode } from './system-error.ts';
import { createIndexedFolder, type IndexedFolder } from './indexed-folder.ts';
import type { SkippedPath } from './walk.ts';
import type { WorkspaceErrorCode } from './workspace-error.ts';
import { WorkspaceError } from './workspace-error.ts';

/**
 * The contents of a folder, and what was excluded and why. Paths are relative to `root`, with `/` separators.
 * Everything but `paths` reflects the first read of the folder.
 */
export type FolderContents = {
  readonly root: string;
  /** The searchable files, in the order they were read; a refresh changes it. */
  readonly paths: readonly string[];
  readonly bytes: number;
  readonly passages: number;
  readonly skips: readonly SkippedPath[];
  /** Excluded on purpose: dependencies, build output, and paths in the root's `.gitignore`. */
  readonly ignored: readonly string[];
};

/** A searchable folder. It reflects the files as of the last read, until it is closed. */
export type FolderIndex = FolderContents & {
  search(query: string, limit?: number): SearchResult;
  /** Rereads changed files, adds new ones and removes deleted ones. */
  refresh(signal?: AbortSignal): Promise<void>;
  close(): void;
  [Symbol.dispose](): void;
};

export type IndexProgress = { readonly files: number; readonly bytes: number; readonly path: string };

export type IndexOptions = {
  readonly limits?: Partial<IndexLimits>;
  readonly signal?: AbortSignal;
  /** Called after each file. */
  readonly onProgress?: (progress: IndexProgress) => void;
};

/**
 * Reads the text files of a folder and makes them searchable. Throws a `WorkspaceError` if the folder cannot be used,
 * and the signal's reason if it is aborted; unreadable entries inside the folder are reported as skips.
 */
export async function indexFolder(folder: string, options: IndexOptions = {}): Promise<FolderIndex> {
  const root = await resolveWorkspaceRoot(folder);
  const passages = openPassageDatabase();

  try {
    const limits = { ...indexLimits, ...options.limits };
    const indexed = createIndexedFolder(root, passages, limits);
    const contents = await fillFolderIndex(indexed, options);
    passages.seal();
    return {
      ...contents,
      search: (query, limit = 10) => searchPassages(passages, query, limit),
      refresh: (signal) => indexed.refresh(signal),
      close: () => passages.close(),
      [Symbol.dispose]: () => passages.close(),
    };
  } catch (error) {
    passages.close();
    throw error;
  }
}

async function resolveWorkspaceRoot(folder: string): Promise<string> {
  try {
    const root = await realpath(folder);
    if (!(await stat(root)).isDirectory()) throw new WorkspaceError('not-a-folder', folder);
    await readdir(root);
    return root;
  } catch (error) {
    if (error instanceof WorkspaceError) throw error;
    throw new WorkspaceError(
      workspaceErrorCodes.get(getSystemErrorCode(error)) ?? 'unreadable',
      folder,
      error,
    );
  }
}

/** A path with a NUL byte cannot exist. */
const workspaceErrorCodes: ReadonlyMap<string, WorkspaceErrorCode> = new Map([
  ['ENOENT', 'missing'],
  ['ERR_INVALID_ARG_VALUE', 'missing'],
  ['ENOTDIR', 'not-a-folder'],
]);

async function fillFolderIndex(indexed: IndexedFolder, options: IndexOptions): Promise<FolderContents> {
  const skips: SkippedPath[] = [];
  const ignored: string[] = [];
  for await (const entry of indexed.walk()) {
    options.signal?.throwIfAborted();
    if (entry.kind === 'skip') skips.push(entry.skip);
    if (entry.kind === 'ignored') ignored.push(entry.path);
    if (entry.kind !== 'file') continue;
    const { path } = entry;
    const reason = await indexed.addFile(path);
    if (reason !== null) skips.push({ path, reason });
    if (reason === 'limit-reached') break;
    if (reason === null) options.onProgress?.({ files: indexed.paths.length, bytes: indexed.bytes(), path });
  }
  const { root, paths } = indexed;
  return { root, paths, bytes: indexed.bytes(), passages: indexed.size(), skips, ignored };
}
