import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Passages } from './database.ts';
import { isMarkdown } from './file-kind.ts';
import { createIgnore } from './ignore.ts';
import type { IndexLimits } from './limits.ts';
import { cutIntoPassages } from './passages.ts';
import { readTextFile, stampOf } from './text-file.ts';
import { walk, type Found, type SkipReason } from './walk.ts';

/** The files of a folder that have been read, and in which version. */
export type Shelf = {
  readonly root: string;
  /** In the order they were read; it changes as files come and go. */
  readonly paths: readonly string[];
  bytes(): number;
  size(): number;
  walk(): AsyncGenerator<Found, void, undefined>;
  /** Reads a file; why not, if it cannot be taken. */
  take(path: string): Promise<SkipReason | null>;
  refresh(signal?: AbortSignal): Promise<void>;
};

/** A file as it was when it was looked at; `bytes` is null for one that is not searched, so that it is not read again. */
type Version = { readonly stamp: string; readonly bytes: number | null };

export function createShelf(root: string, passages: Passages, limits: IndexLimits): Shelf {
  const paths: string[] = [];
  const versions = new Map<string, Version>();
  let total = 0;
  const forget = (path: string): void => {
    const version = versions.get(path);
    if (version === undefined) return;
    versions.delete(path);
    if (version.bytes === null) return;
    total -= version.bytes;
    paths.splice(paths.indexOf(path), 1);
    passages.remove(path);
  };
  /** One refresh after the other: two at once would read a file twice. */
  let last: Promise<void> = Promise.resolve();
  const take = async (path: string): Promise<SkipReason | null> => {
    const file = await readTextFile(join(root, path), limits.fileBytes);
    const { stamp } = file;
    if (!file.ok) {
      versions.set(path, { stamp, bytes: null });
      return file.reason;
    }
    if (paths.length === limits.files || total + file.bytes > limits.totalBytes) return 'limit-reached';
    for (const passage of cutIntoPassages(file.text, isMarkdown(path))) passages.add(path, passage);
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
    walk: () => walkIn(root, limits),
    take,
    refresh(signal) {
      const done = last.then(() => refresh(signal));
      last = done.catch(() => undefined);
      return done;
    },
  };

  async function refresh(signal: AbortSignal | undefined): Promise<void> {
    const seen = new Set<string>();
    for await (const found of walkIn(root, limits)) {
      signal?.throwIfAborted();
      if (found.kind !== 'file') continue;
      seen.add(found.path);
      if (versions.get(found.path)?.stamp === (await stampAt(join(root, found.path)))) continue;
      passages.change(() => forget(found.path));
      await take(found.path);
    }
    for (const path of versions.keys()) if (!seen.has(path)) passages.change(() => forget(path));
  }
}

/** Everything below a folder but what its `.gitignore` names. */
export async function* walkIn(root: string, limits: IndexLimits): AsyncGenerator<Found, void, undefined> {
  const gitignore = await readTextFile(join(root, '.gitignore'), limits.fileBytes);
  yield* walk({ root, ignore: createIgnore(gitignore.ok ? gitignore.text : ''), limits });
}

/** The version of a file, without reading it; null when it has gone. */
async function stampAt(path: string): Promise<string | null> {
  return stat(path, { bigint: true }).then(stampOf, () => null);
}
