import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@pawl/core';
import type { Store } from '@pawl/runtime';
import { nameFor, makeFolderFor } from './data-folder.ts';

/**
 * A store with what lies beside its database. What a run tells its model besides the session, its prompt and its tools, is
 * the same for many sessions and too much for every list of them: it is kept once, in a file named by what it holds. And
 * what is left of the calls of a session goes with it.
 */
export function withFolder(store: Store, folder: string): Store {
  const at = (hash: string): string => join(folder, 'manifests', `${hash}.json`);
  return {
    ...store,
    create: (session, owner, options = {}) =>
      store.create(session, owner, { ...options, about: putAway(options.about ?? null, at) }),
    async open(id, options) {
      const opened = await store.open(id, options);
      return { ...opened, about: putBack(opened.about, at) };
    },
    async remove(id) {
      const removed = await store.remove(id);
      rmSync(spoolFolder(folder, id), { recursive: true, force: true });
      return removed;
    },
  };
}

/** Where what is known of the calls of a session is until its log has it. */
export function spoolFolder(folder: string, id: string): string {
  return join(folder, 'spool', nameFor(id));
}

type Where = (hash: string) => string;

function putAway(about: Json, at: Where): Json {
  if (!isRecord(about)) return about;
  const { prompt, tools, ...rest } = about;
  if (prompt === undefined || tools === undefined) return about;
  const text = JSON.stringify({ prompt, tools });
  const manifest = createHash('sha256').update(text).digest('hex');
  const path = at(manifest);
  makeFolderFor(path);
  // Two who write the same at once both succeed, and nobody reads half of it.
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
  return { ...rest, manifest };
}

function putBack(about: Json, at: Where): Json {
  if (!isRecord(about) || typeof about['manifest'] !== 'string') return about;
  const { manifest, ...rest } = about;
  if (!/^[\da-f]{64}$/.test(manifest)) return about;
  try {
    const kept = JSON.parse(readFileSync(at(manifest), 'utf8')) as Json;
    return isRecord(kept) ? { ...rest, ...kept } : about;
  } catch {
    // It only serves to show what was sent; the session is whole without it.
    return about;
  }
}

function isRecord(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
