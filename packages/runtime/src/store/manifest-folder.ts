import { isJsonObject } from '@pawl/governor/json';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@pawl/core';
import { ensureParentFolder, hashFolderName } from '../platform/data-folder.ts';
import { replaceFileSync } from '../platform/files.ts';
import type { Store } from './store.ts';

/**
 * Wraps a store with the files beside its database. A run's prompt and tools are the same for many sessions and too
 * large for session lists, so they are stored once, in a file named by its hash. Removing a session also removes its
 * spool.
 */
export function withManifestFolder(store: Store, folder: string): Store {
  const toPath = (hash: string): string => join(folder, 'manifests', `${hash}.json`);
  return {
    ...store,
    create: (session, owner, options = {}) =>
      store.create(session, owner, {
        ...options,
        metadata: extractManifest(options.metadata ?? null, toPath),
      }),
    async open(id, options) {
      const opened = await store.open(id, options);
      return { ...opened, metadata: restoreManifest(opened.metadata, toPath) };
    },
    async remove(id) {
      const removed = await store.remove(id);
      rmSync(getSessionSpoolFolder(folder, id), { recursive: true, force: true });
      return removed;
    },
  };
}

/** Returns the folder that holds a session's tool execution records until its log has them. */
export function getSessionSpoolFolder(folder: string, id: string): string {
  return join(folder, 'spool', hashFolderName(id));
}

type ManifestPathResolver = (hash: string) => string;

function extractManifest(metadata: Json, toPath: ManifestPathResolver): Json {
  if (!isJsonObject(metadata)) return metadata;
  const { prompt, tools, ...rest } = metadata;
  if (prompt === undefined || tools === undefined) return metadata;
  const text = JSON.stringify({ prompt, tools });
  const manifest = createHash('sha256').update(text).digest('hex');
  const path = toPath(manifest);
  ensureParentFolder(path);
  // Write to a temporary file, so that concurrent writers both succeed and no reader sees a partial file.
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  replaceFileSync(temporary, path);
  return { ...rest, manifest };
}

function restoreManifest(metadata: Json, toPath: ManifestPathResolver): Json {
  if (!isJsonObject(metadata) || typeof metadata['manifest'] !== 'string') return metadata;
  const { manifest, ...rest } = metadata;
  if (!/^[\da-f]{64}$/.test(manifest)) return metadata;
  try {
    const stored = JSON.parse(readFileSync(toPath(manifest), 'utf8')) as Json;
    return isJsonObject(stored) ? { ...rest, ...stored } : metadata;
  } catch {
    // The manifest only serves display; the session is complete without it.
    return metadata;
  }
}
