import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createSerialRunner } from '../serial-runner.ts';
import type { PassageDatabase } from './database.ts';
import { isMarkdown } from './file-kind.ts';
import { createIgnoreFilter } from './ignore.ts';
import type { IndexLimits } from './limits.ts';
import { splitPassages } from './passages.ts';
import { readTextFile, formatFileStamp } from './text-file.ts';
import { walkTree, type WalkEntry, type SkipReason } from './walk.ts';

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

export function createIndexedFolder(
  root: string,
  passages: PassageDatabase,
  limits: IndexLimits,
): IndexedFolder {
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
