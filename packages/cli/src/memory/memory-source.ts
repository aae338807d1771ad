import { type EntryStorage, StorageError, openSqliteStorage } from '@pawl/runtime/storage';
import {
  parseLkjConfig,
  parseMemoryDocument,
  type LkjProfile,
  type ParsedMemoryDocument,
} from '@pawl/core/lkj';
import { logNames, memorySettings, type MemorySettings } from '@pawl/core/memory';
import { getStorageFile } from '@pawl/runtime/data-folder';
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { loadConfig } from '../options/load-config.ts';
import { requireTenantName } from '../options/parse-options.ts';
import { sanitizeOneLine } from '../output/sanitize-text.ts';
import { isRedisUrl, openStore } from '../sessions/store-option.ts';
import { UsageError, toUsageError } from '../output/exit-codes.ts';

/** The location of a memory: a memory document, or a storage. */
export type MemorySource =
  | ({ readonly kind: 'document'; readonly path: string } & OpenMemoryDocument)
  | { readonly kind: 'storage'; readonly path: string; readonly storage: EntryStorage };

export type OpenMemoryDocument = {
  readonly document: ParsedMemoryDocument;
  /** The profile whose layout the document uses. */
  readonly layout: LkjProfile;
};

export type MemorySourceFlags = {
  readonly file?: string | undefined;
  readonly storage?: string | undefined;
  /** The folder that the agent works in. */
  readonly dir?: string | undefined;
  /** The session store; if it is Redis, the memory is there too. */
  readonly store?: string | undefined;
  /** The tenant that owns the memory in Redis. */
  readonly tenant?: string | undefined;
};

const memoryFileName = 'memory.json';

/** The location of an existing or a new memory. */
export type MemoryTarget =
  | { readonly kind: 'document'; readonly path: string }
  | {
      readonly kind: 'storage';
      readonly path: string;
      /** Opens the storage; null if there is none. */
      openExisting(): Promise<EntryStorage | null>;
      /** Opens the storage and creates it if necessary. */
      openOrCreate(): Promise<EntryStorage>;
    };

/** Opens the memory that the flags select. It must exist, because viewing memory never creates one. */
export async function openMemorySource(flags: MemorySourceFlags): Promise<MemorySource> {
  const target = await resolveMemoryTarget(flags);
  const { path } = target;
  if (target.kind === 'storage') {
    const storage = await target.openExisting();
    if (storage === null) throw createMissingMemoryError('storage', path);
    return { kind: 'storage', path, storage };
  }
  if (!(await pathExists(path))) throw createMissingMemoryError('memory file', path);
  return { kind: 'document', path, ...(await openMemoryDocument(path)) };
}

function createMissingMemoryError(kind: string, path: string): UsageError {
  return new UsageError(
    `The ${kind} ${JSON.stringify(path)} does not exist. Check the path, or create it with pawl memory import.`,
  );
}

/** Resolves the flags to a location, which need not exist; without flags, looks for a memory that an agent left. */
export async function resolveMemoryTarget(flags: MemorySourceFlags): Promise<MemoryTarget> {
  const { dir = '.', store } = flags;
  const explicit = getNamedTarget(flags);
  if (explicit !== null) return explicit;
  const document = join(dir, 'data', memoryFileName);
  if (store === undefined && (await pathExists(document))) return { kind: 'document', path: document };
  const folderTarget = (await pathExists(dir)) ? await findFolderTarget(await realpath(dir), flags) : null;
  if (folderTarget !== null) return folderTarget;
  throw new UsageError(
    `No memory found for the folder ${JSON.stringify(dir)}: there is neither ${JSON.stringify(document)} nor a storage. Specify a folder with --dir, or a file with --file or --storage.`,
  );
}

function getNamedTarget({ file, storage, store, tenant }: MemorySourceFlags): MemoryTarget | null {
  if (file !== undefined && storage !== undefined) throw new UsageError('Use --file or --storage, not both.');
  const path = file ?? storage;
  if (path === undefined) return null;
  if (store !== undefined || tenant !== undefined) throw new UsageError('Use a file or --store, not both.');
  return file === undefined ? createStorageTarget(path) : { kind: 'document', path };
}

/** Finds the memory of a folder: the one workers share, or the one on this machine. */
async function findFolderTarget(folder: string, flags: MemorySourceFlags): Promise<MemoryTarget | null> {
  const shared = await findSharedTarget(folder, flags);
  if (shared !== null) return shared;
  const storageFile = getStorageFile(folder);
  return (await pathExists(storageFile)) ? createStorageTarget(storageFile) : null;
}

function createStorageTarget(path: string): MemoryTarget {
  return {
    kind: 'storage',
    path,
    openExisting: async () => ((await pathExists(path)) ? openStorageFile(path) : null),
    openOrCreate: async () => openStorageFile(path),
  };
}

export function openStorageFile(path: string): EntryStorage {
  try {
    return openSqliteStorage(path);
  } catch (error) {
    throw toUsageError(error, StorageError);
  }
}

export async function pathExists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return false;
    throw createReadError(path, error);
  }
}

/** Reads a memory document without changing it, even if it is damaged. Throws a `UsageError` if it is not one. */
export async function openMemoryDocument(path: string): Promise<OpenMemoryDocument> {
  const json = await readDocumentJson(path);
  const layout = detectMemoryLayout(json);
  const settings = await loadDocumentSettings(path, layout);
  const { mtimeMs } = await stat(path);
  try {
    requireMemoryDocument(json, settings);
    const document = parseMemoryDocument(json, { profile: layout, settings, at: Math.trunc(mtimeMs) });
    return { document, layout };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${JSON.stringify(path)}: ${error.message} It was not changed.`, { cause: error });
  }
}

async function readDocumentJson(path: string): Promise<unknown> {
  const text = await readDocumentText(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const lastGood = `${path}.last-good`;
    const next = (await pathExists(lastGood)) ? `The previous version is ${JSON.stringify(lastGood)}.` : '';
    throw new UsageError(
      `${JSON.stringify(path)} is damaged: it is not JSON (${reason}). It was not changed. ${next}`.trimEnd(),
      { cause: error },
    );
  }
}

async function readDocumentText(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    throw createReadError(path, error);
  }
}

function createReadError(path: string, cause: unknown): UsageError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : '';
  const reasons = new Map<unknown, string>([
    ['ENOENT', 'the file does not exist'],
    ['ENOTDIR', 'the file does not exist'],
    ['EISDIR', 'it is a folder'],
    ['ERR_ENCODING_INVALID_ENCODED_DATA', 'it is not UTF-8 text'],
  ]);
  const reason = reasons.get(code) ?? (cause instanceof Error ? cause.message : String(cause));
  return new UsageError(`Cannot read ${JSON.stringify(path)}: ${reason}. Choose another file.`, { cause });
}

/**
 * Documents of the first version have their logs at the top level, under an older name; they are read and written in
 * that layout.
 */
function detectMemoryLayout(json: unknown): LkjProfile {
  if (typeof json !== 'object' || json === null) return 'lkj';
  const hasOldLogs = Object.keys(json).some((key) => /^thinking_log_\d+$/.test(key));
  const hasOldState = Object.hasOwn(json, 'state') && (json as { state: unknown }).state === 'executing';
  return hasOldLogs || hasOldState ? 'lkj1' : 'lkj';
}

/** Higher than any log limit, so that reading drops no entry; the agent applies its own limit. */
const maxLogEntries = 999;

async function loadDocumentSettings(path: string, layout: LkjProfile): Promise<MemorySettings> {
  const config = join(dirname(path), 'config.json');
  const hasConfig = basename(path) === memoryFileName && (await pathExists(config));
  const settings = hasConfig
    ? parseDocumentSettings(config, await readDocumentJson(config), layout)
    : memorySettings[layout];
  const logs = Object.fromEntries(
    logNames.map((name) => [name, { ...settings.logs[name], maxEntries: maxLogEntries }]),
  ) as MemorySettings['logs'];
  return { ...settings, logs };
}

function parseDocumentSettings(path: string, json: unknown, layout: LkjProfile): MemorySettings {
  try {
    return parseLkjConfig(json, layout).memory;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${JSON.stringify(path)}: ${error.message}`, { cause: error });
  }
}

/** Rejects other JSON files: any object would parse as an empty memory with unknown keys. */
function requireMemoryDocument(json: unknown, { logs }: MemorySettings): void {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return;
  const prefixes = [...Object.values(logs).map(({ keyPrefix }) => keyPrefix), 'thinking_log_'];
  const isOurs = Object.keys(json).some(
    (key) =>
      key === 'working_memory' || key === 'storage' || prefixes.some((prefix) => key.startsWith(prefix)),
  );
  if (!isOurs)
    throw new TypeError('This is not a memory document: it has neither working_memory nor storage.');
}

/** Returns the memory that workers share for a folder if sessions are in Redis; null otherwise. */
async function findSharedTarget(
  folder: string,
  { store, tenant }: MemorySourceFlags,
): Promise<MemoryTarget | null> {
  if (tenant !== undefined) requireTenantName('--tenant', tenant);
  const storeName = store ?? (await loadConfig(folder, {}, null)).config.store;
  if (storeName === undefined || !isRedisUrl(storeName)) {
    if (tenant === undefined) return null;
    throw new UsageError(
      '--tenant applies only to a memory in Redis. Specify it with --store redis://host:6379.',
    );
  }
  const location: SharedMemoryLocation = { url: storeName, folder, tenant: tenant ?? 'default' };
  return {
    kind: 'storage',
    path: sanitizeOneLine(`redis://${URL.parse(storeName)?.host ?? ''} ${location.tenant} ${folder}`),
    openOrCreate: () => openSharedStorage(location),
    async openExisting() {
      const storage = await openSharedStorage(location);
      const count = await storage.count();
      if (count > 0) return storage;
      await storage.close();
      return null;
    },
  };
}

type SharedMemoryLocation = { readonly url: string; readonly folder: string; readonly tenant: string };

/** Opens the storage; closing it closes the connection. */
async function openSharedStorage({ url, folder, tenant }: SharedMemoryLocation): Promise<EntryStorage> {
  const opened = await openStore({ dir: folder, store: url }, {});
  return { ...opened.memoryFor(folder, { tenant }), close: () => opened.close() };
}
