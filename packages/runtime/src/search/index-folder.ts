import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Passages } from './database.ts';
import { openPassages } from './database.ts';
import { isMarkdown } from './file-kind.ts';
import { createIgnore } from './ignore.ts';
import type { IndexLimits } from './limits.ts';
import { indexLimits } from './limits.ts';
import { cutIntoPassages } from './passages.ts';
import type { SearchResult } from './search.ts';
import { search } from './search.ts';
import { codeOf } from './system-error.ts';
import { readTextFile } from './text-file.ts';
import type { Skip } from './walk.ts';
import { walk } from './walk.ts';
import type { WorkspaceErrorCode } from './workspace-error.ts';
import { WorkspaceError } from './workspace-error.ts';

/** What is in a folder, and what of it was left out and why. Paths are relative to `root`, with `/` between names. */
export type FolderContents = {
  readonly root: string;
  /** The files that can be searched, in the order they were read. */
  readonly paths: readonly string[];
  readonly bytes: number;
  readonly passages: number;
  readonly skips: readonly Skip[];
  /** Left out on purpose: dependencies, build output, what the root's `.gitignore` names. */
  readonly ignored: readonly string[];
};

/** A folder that can be searched until it is closed. It shows the files as they were when they were read. */
export type FolderIndex = FolderContents & {
  search(query: string, limit?: number): SearchResult;
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
    const contents = await fill(passages, root, options);
    passages.seal();
    return {
      ...contents,
      search: (query, limit = 10) => search(passages, query, limit),
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

async function fill(passages: Passages, root: string, options: IndexOptions): Promise<FolderContents> {
  const limits = { ...indexLimits, ...options.limits };
  const gitignore = await readTextFile(join(root, '.gitignore'), limits.fileBytes);
  const ignore = createIgnore(gitignore.ok ? gitignore.text : '');
  const paths: string[] = [];
  const skips: Skip[] = [];
  const ignored: string[] = [];
  let bytes = 0;
  for await (const found of walk({ root, ignore, limits })) {
    options.signal?.throwIfAborted();
    if (found.kind === 'skip') skips.push(found.skip);
    if (found.kind === 'ignored') ignored.push(found.path);
    if (found.kind !== 'file') continue;
    const { path } = found;
    const file = await readTextFile(join(root, path), limits.fileBytes);
    if (!file.ok) {
      skips.push({ path, reason: file.reason });
      continue;
    }
    if (paths.length === limits.files || bytes + file.bytes > limits.totalBytes) {
      skips.push({ path, reason: 'limit-reached' });
      break;
    }
    for (const passage of cutIntoPassages(file.text, isMarkdown(path))) {
      passages.add(path, passage);
    }
    paths.push(path);
    bytes += file.bytes;
    options.onProgress?.({ files: paths.length, bytes, path });
  }
  return { root, paths, bytes, passages: passages.size(), skips, ignored };
}
