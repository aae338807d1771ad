import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@pawl/core';
import { replaceFileSync, type Store } from '@pawl/runtime';
import { hashFolderName, ensureParentFolder } from './data-folder.ts';

/**
 * Wraps a store with the files beside its database. A run's prompt and tools are the same for many sessions and too
 * large for session lists, so they are stored once, in a file named by its hash. Removing a session also removes its
 * spool.
 */
export function withManifestFolder(store: Store, folder: string): Store {
  const at = (hash: string): string => join(folder, 'manifests', `${hash}.json`);
  return {
    ...store,
    create: (session, owner, options = {}) =>
      store.create(session, owner, { ...options, metadata: extractManifest(options.metadata ?? null, at) }),
    async open(id, options) {
      const opened = await store.open(id, options);
      return { ...opened, metadata: restoreManifest(opened.metadata, at) };
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

function extractManifest(about: Json, at: ManifestPathResolver): Json {
  if (!isJsonObject(about)) return about;
  const { prompt, tools, ...rest } = about;
  if (prompt === undefined || tools === undefined) return about;
  const text = JSON.stringify({ prompt, tools });
  const manifest = createHash('sha256').update(text).digest('hex');
  const path = at(manifest);
  ensureParentFolder(path);
  // Write to a temporary file, so that concurrent writers both succeed and no reader sees a partial file.
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  replaceFileSync(temporary, path);
  return { ...rest, manifest };
}

function restoreManifest(about: Json, at: ManifestPathResolver): Json {
  if (!isJsonObject(about) || typeof about['manifest'] !== 'string') return about;
  const { manifest, ...rest } = about;
  if (!/^[\da-f]{64}$/.test(manifest)) return about;
  try {
    const kept = JSON.parse(readFileSync(at(manifest), 'utf8')) as Json;
    return isJsonObject(kept) ? { ...rest, ...kept } : about;
  } catch {
    // The manifest only serves display; the session is complete without it.
    return about;
  }
}

function isJsonObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
