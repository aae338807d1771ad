import { readdir, realpath, stat } from 'node:fs/promises';
import { openPassages } from './database.ts';
import type { IndexLimits } from './limits.ts';
import { indexLimits } from './limits.ts';
import type { SearchResult } from './search.ts';
import { search } from './search.ts';
import { codeOf } from './system-error.ts';
import { createShelf, type Shelf } from './shelf.ts';
import type { Skip } from './walk.ts';
import type { WorkspaceErrorCode } from './workspace-error.ts';
import { WorkspaceError } from './workspace-error.ts';

/**
 * What is in a folder, and what of it was left out and why. Paths are relative to `root`, with `/` between names. All but
 * `paths` is as it was when the folder was first read.
 */
export type FolderContents = {
  readonly root: string;
  /** The files that can be searched, in the order they were read; a refresh changes it. */
  readonly paths: readonly string[];
  readonly bytes: number;
  readonly passages: number;
  readonly skips: readonly Skip[];
  /** Left out on purpose: dependencies, build output, what the root's `.gitignore` names. */
  readonly ignored: readonly string[];
};

/** A folder that can be searched until it is closed. It shows the files as they were when they were last read. */
export type FolderIndex = FolderContents & {
  search(query: string, limit?: number): SearchResult;
  /** Reads again what has changed since, what is new, and forgets what is gone. */
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
 * Reads the text files of a folder and makes them searchable.
 * Throws `WorkspaceError` when the folder cannot be used and the signal's reason when it is aborted; what cannot be read
 * inside the folder is a skip.
 */
export async function indexFolder(folder: string, options: IndexOptions = {}): Promise<FolderIndex> {
  const root = await resolveRoot(folder);
  const passages = openPassages();

  try {
    const limits = { ...indexLimits, ...options.limits };
    const shelf = createShelf(root, passages, limits);
    const contents = await fill(shelf, options);
    passages.seal();
    return {
      ...contents,
      search: (query, limit = 10) => search(passages, query, limit),
      refresh: (signal) => shelf.refresh(signal),
      close: () => passages.close(),
      [Symbol.dispose]: () => passages.close(),
    };
  } catch (error) {
    passages.close();
    throw error;
  }
}

async function resolveRoot(folder: string): Promise<string> {
  try {
    const root = await realpath(folder);
    if (!(await stat(root)).isDirectory()) throw new WorkspaceError('not-a-folder', folder);
    await readdir(root);
    return root;
  } catch (error) {
    if (error instanceof WorkspaceError) throw error;
    throw new WorkspaceError(errorCodes.get(codeOf(error)) ?? 'unreadable', folder, error);
  }
}

/** A path with a NUL byte in it names nothing. */
const errorCodes: ReadonlyMap<string, WorkspaceErrorCode> = new Map([
  ['ENOENT', 'missing'],
  ['ERR_INVALID_ARG_VALUE', 'missing'],
  ['ENOTDIR', 'not-a-folder'],
]);

async function fill(shelf: Shelf, options: IndexOptions): Promise<FolderContents> {
  const skips: Skip[] = [];
  const ignored: string[] = [];
  for await (const found of shelf.walk()) {
    options.signal?.throwIfAborted();
    if (found.kind === 'skip') skips.push(found.skip);
    if (found.kind === 'ignored') ignored.push(found.path);
    if (found.kind !== 'file') continue;
    const { path } = found;
    const reason = await shelf.take(path);
    if (reason !== null) skips.push({ path, reason });
    if (reason === 'limit-reached') break;
    if (reason === null) options.onProgress?.({ files: shelf.paths.length, bytes: shelf.bytes(), path });
  }
  const { root, paths } = shelf;
  return { root, paths, bytes: shelf.bytes(), passages: shelf.size(), skips, ignored };
}
