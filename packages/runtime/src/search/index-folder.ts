import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createSerialRunner } from '../platform/serial-runner.ts';
import { openPassageDatabase, type PassageDatabase, splitPassages } from './database.ts';
import { isMarkdown } from './file-kind.ts';
import { createIgnoreFilter, type SkippedPath, walkTree, type WalkEntry, type SkipReason } from './walk.ts';
import { type IndexLimits, indexLimits } from './limits.ts';
import { type SearchResult, searchPassages } from './search.ts';
import { getSystemErrorCode } from '../platform/files.ts';
import { readTextFile, formatFileStamp } from './text-file.ts';

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

/** The files of a folder that have been read, and their versions. */
export type IndexedFolder = {
  readonly root: string;
  /** In the order they were read; it changes as files are added and removed. */
  readonly paths: readonly string[];
  bytes(): number;
  size(): number;
  walk(): AsyncGenerator<WalkEntry, void, undefined>;
  /** Reads and indexes a file; resolves to the reason if it is skipped. */
  addFile(path: string): Promise<SkipReason | null>;
  refresh(signal?: AbortSignal): Promise<void>;
};

/** The last seen version of a file; `bytes` is null for a file that is not searchable, so that it is not read again. */
type FileVersion = { readonly stamp: string; readonly bytes: number | null };

function createIndexedFolder(root: string, passages: PassageDatabase, limits: IndexLimits): IndexedFolder {
  const paths: string[] = [];
  const versions = new Map<string, FileVersion>();
  let total = 0;
  const removeFile = (path: string): void => {
    const version = versions.get(path);
    if (version === undefined) return;
    versions.delete(path);
    if (version.bytes === null) return;
    total -= version.bytes;
    paths.splice(paths.indexOf(path), 1);
    passages.remove(path);
  };
  /** Refreshes run one after the other, because concurrent ones would read a file twice. */
  const runExclusive = createSerialRunner();
  const addFile = async (path: string): Promise<SkipReason | null> => {
    const file = await readTextFile(join(root, path), limits.fileBytes);
    const { stamp } = file;
    if (!file.ok) {
      versions.set(path, { stamp, bytes: null });
      return file.reason;
    }
    if (paths.length === limits.files || total + file.bytes > limits.totalBytes) return 'limit-reached';
    for (const passage of splitPassages(file.text, isMarkdown(path))) passages.add(path, passage);
    paths.push(path);
    versions.set(path, { stamp, bytes: file.bytes });
    total += file.bytes;
    return null;
  };
  return {
    root,
    paths,
    bytes: () => total,
    size: () => passages.size(),
    walk: () => walkFolder(root, limits),
    addFile,
    refresh: (signal) => runExclusive(() => refresh(signal)),
  };

  async function refresh(signal: AbortSignal | undefined): Promise<void> {
    const seen = new Set<string>();
    for await (const entry of walkFolder(root, limits)) {
      signal?.throwIfAborted();
      if (entry.kind !== 'file') continue;
      seen.add(entry.path);
      if (versions.get(entry.path)?.stamp === (await readFileStamp(join(root, entry.path)))) continue;
      passages.change(() => removeFile(entry.path));
      await addFile(entry.path);
    }
    for (const path of versions.keys()) if (!seen.has(path)) passages.change(() => removeFile(path));
  }
}

/** Walks a folder, except what its `.gitignore` excludes. */
export async function* walkFolder(
  root: string,
  limits: IndexLimits,
): AsyncGenerator<WalkEntry, void, undefined> {
  const gitignore = await readTextFile(join(root, '.gitignore'), limits.fileBytes);
  yield* walkTree({ root, ignore: createIgnoreFilter(gitignore.ok ? gitignore.text : ''), limits });
}

/** Returns the version of a file without reading it; null if it no longer exists. */
async function readFileStamp(path: string): Promise<string | null> {
  return stat(path, { bigint: true }).then(formatFileStamp, () => null);
}

export type WorkspaceErrorCode = 'missing' | 'not-a-folder' | 'unreadable';

/** The workspace folder cannot be used. The message is one line: what, where and what to do. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
  readonly code: WorkspaceErrorCode;
  readonly path: string;

  constructor(code: WorkspaceErrorCode, path: string, cause?: unknown) {
    super(`${workspaceErrorText[code]}: ${JSON.stringify(path)}. ${workspaceErrorAdvice[code]}`, { cause });
    this.code = code;
    this.path = path;
  }
}

const workspaceErrorText: Record<WorkspaceErrorCode, string> = {
  missing: 'There is no such folder',
  'not-a-folder': 'This is not a folder',
  unreadable: 'This folder cannot be read',
};

const workspaceErrorAdvice: Record<WorkspaceErrorCode, string> = {
  missing: 'Check the spelling, or create the folder first.',
  'not-a-folder': 'Name the folder that contains the file.',
  unreadable: 'Give yourself permission to list it, or name another folder.',
};
