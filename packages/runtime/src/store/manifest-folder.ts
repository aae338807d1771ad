import { isJsonObject } from '@pawl/governor/json';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@pawl/core';
import { ensureParentFolder, hashFolderName } from '../platform/data-folder.ts';
import * as z from 'zod';
import { replaceFileSync } from '../platform/files.ts';
import type { ToolDescription } from '../tools/tool.ts';
import { getMetadataText, getMetadataTools } from './row-store.ts';
import type { Store } from './store.ts';

/**
 * Wraps a store with the files beside its database. A run's prompt and tools are too large for session lists, so they
 * are stored in files of the session, and so are those of each agent that resumed it. Removing a session also removes
 * these files and its spool.
 */
export function withManifestFolder(store: Store, folder: string): Store {
  const toFolder = (id: string): string => join(folder, 'manifests', hashFolderName(id));
  // Older releases shared one file between sessions.
  const restore = (id: string, metadata: Json): Json =>
    restoreManifest(metadata, toFolder(id), join(folder, 'manifests'));
  return {
    ...store,
    async create(session, owner, options = {}) {
      const own = toFolder(session.id);
      const { metadata, resumed } = extractManifest(options.metadata ?? null, own);
      const position = await store.create(session, owner, { ...options, metadata });
      // Only now, because the id may have belonged to another session.
      if (resumed.length > 0) writeResumed(resumed, own);
      return position;
    },
    async open(id, options) {
      const opened = await store.open(id, options);
      return { ...opened, metadata: restore(id, opened.metadata) };
    },
    async recordManifest(id, manifest) {
      const { head, metadata } = await store.open(id);
      const last = findManifest(restore(id, metadata), Number.POSITIVE_INFINITY);
      if (toManifestText(last) === toManifestText(manifest)) return;
      const resumed = [
        ...readResumed(toFolder(id)),
        { after: head, manifest: writeManifest(manifest, toFolder(id)) },
      ];
      writeResumed(resumed, toFolder(id));
    },
    async remove(id) {
      const removed = await store.remove(id);
      rmSync(getSessionSpoolFolder(folder, id), { recursive: true, force: true });
      rmSync(toFolder(id), { recursive: true, force: true });
      return removed;
    },
  };
}

/** Returns the folder that holds a session's tool execution records until its log has them. */
export function getSessionSpoolFolder(folder: string, id: string): string {
  return join(folder, 'spool', hashFolderName(id));
}

/** The prompt and the tools of an agent; null for what was not recorded. */
export type RecordedManifest = {
  readonly prompt: string | null;
  readonly tools: readonly ToolDescription[] | null;
};

/** Returns the manifest of the agent that handled an event: the one that created the session, or that resumed it last. */
export function findManifest(metadata: Json, seq: number): RecordedManifest {
  const resumed = isJsonObject(metadata) ? metadata['resumed'] : null;
  const last = Array.isArray(resumed)
    ? resumed.findLast((each) => isJsonObject(each) && Number(each['after']) < seq)
    : undefined;
  const source = last ?? metadata;
  return { prompt: getMetadataText(source, 'prompt'), tools: getMetadataTools(source) };
}

type ResumedManifest = {
  /** The last event before the agent resumed the session. */
  readonly after: number;
  /** The hash of the manifest; null if it is unknown. */
  readonly manifest: string | null;
};

function readResumed(folder: string): readonly ResumedManifest[] {
  const file = join(folder, resumedFileName);
  if (!existsSync(file)) return [];
  try {
    return z.array(resumedSchema).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Damaged: any event may have been handled by an agent with another manifest.
    return [{ after: 0, manifest: null }];
  }
}

/** Keeps the latest; the manifests of the agents before them become unknown. */
function writeResumed(resumed: readonly ResumedManifest[], folder: string): void {
  const [first] = resumed;
  const kept =
    first === undefined || resumed.length <= resumedMax
      ? resumed
      : [{ ...first, manifest: null }, ...resumed.slice(1 - resumedMax)];
  replaceText(join(folder, resumedFileName), JSON.stringify(kept));
}

const resumedSchema = z.object({ after: z.number(), manifest: z.string().nullable() });
const resumedMax = 1_000;
const resumedFileName = 'resumed.json';

function toManifestText({ prompt, tools }: { readonly prompt: Json; readonly tools: unknown }): string {
  return JSON.stringify({ prompt, tools });
}

/** Returns the hash that names the file. */
function writeManifest(manifest: Parameters<typeof toManifestText>[0], folder: string): string {
  const text = toManifestText(manifest);
  const hash = createHash('sha256').update(text).digest('hex');
  replaceText(join(folder, `${hash}.json`), text);
  return hash;
}

/** Writes to a temporary file first, so that concurrent writers both succeed and no reader sees a partial file. */
function replaceText(path: string, text: string): void {
  ensureParentFolder(path);
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  replaceFileSync(temporary, path);
}

type ExtractedManifest = { readonly metadata: Json; readonly resumed: readonly ResumedManifest[] };

function extractManifest(metadata: Json, folder: string): ExtractedManifest {
  if (!isJsonObject(metadata)) return { metadata, resumed: [] };
  const { resumed, ...own } = metadata;
  const { prompt, tools, ...rest } = own;
  const isKnown = prompt !== undefined && tools !== undefined;
  return {
    metadata: isKnown ? { ...rest, manifest: writeManifest({ prompt, tools }, folder) } : own,
    // A fork has those of its parent.
    resumed: Array.isArray(resumed) ? resumed.flatMap((each) => extractResumed(each, folder)) : [],
  };
}

function extractResumed(entry: Json, folder: string): readonly ResumedManifest[] {
  if (!isJsonObject(entry) || typeof entry['after'] !== 'number') return [];
  const { after, prompt, tools } = entry;
  const isKnown = prompt !== undefined && tools !== undefined;
  return [{ after, manifest: isKnown ? writeManifest({ prompt, tools }, folder) : null }];
}

function restoreManifest(metadata: Json, ...folders: readonly [string, string]): Json {
  if (!isJsonObject(metadata)) return metadata;
  const { manifest, ...rest } = metadata;
  const stored = typeof manifest === 'string' ? readManifest(manifest, folders) : null;
  const resumed = readResumed(folders[0]).map(({ after, manifest: hash }) => ({
    after,
    ...(hash !== null && readManifest(hash, folders)),
  }));
  return { ...(stored === null ? metadata : { ...rest, ...stored }), ...(resumed.length > 0 && { resumed }) };
}

/** Null if it cannot be read: it only serves display, and the session is complete without it. */
function readManifest(hash: string, folders: readonly string[]): { readonly [key: string]: Json } | null {
  if (!/^[\da-f]{64}$/.test(hash)) return null;
  for (const folder of folders) {
    try {
      const stored = JSON.parse(readFileSync(join(folder, `${hash}.json`), 'utf8')) as Json;
      if (isJsonObject(stored)) return stored;
    } catch {
      continue;
    }
  }
  return null;
}
