import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  logNames,
  memorySettings,
  readLkjConfig,
  readMemoryDocument,
  type LkjProfile,
  type MemorySettings,
  type ReadDocument,
} from '@pawl/core';
import { openSqliteStorage, StorageError, type Storage } from '@pawl/runtime';
import { storageFileFor } from '../data-folder.ts';
import { UsageError, asUsageError } from '../usage-error.ts';
import { sharedTarget } from './memory-shared.ts';

/** Where memory is: in a memory document, or in a storage of its own. */
export type MemorySource =
  | ({ readonly kind: 'document'; readonly path: string } & OpenDocument)
  | { readonly kind: 'storage'; readonly path: string; readonly storage: Storage };

export type OpenDocument = {
  readonly document: ReadDocument;
  /** As which profile it is written. */
  readonly layout: LkjProfile;
};

export type SourceFlags = {
  readonly file?: string | undefined;
  readonly storage?: string | undefined;
  /** The folder that the agent works in. */
  readonly dir?: string | undefined;
  /** Where sessions are kept; with those in Redis the memory is there as well. */
  readonly store?: string | undefined;
  /** Whose memory it is, in Redis. */
  readonly tenant?: string | undefined;
};

const memoryFileName = 'memory.json';

/** Where memory is or is to be. */
export type Target =
  | { readonly kind: 'document'; readonly path: string }
  | {
      readonly kind: 'storage';
      readonly path: string;
      /** Null where there is none. */
      look(): Promise<Storage | null>;
      /** Makes it if need be. */
      make(): Promise<Storage>;
    };

/** The memory that the flags mean. It has to be there: looking at memory never makes one. */
export async function openSource(flags: SourceFlags): Promise<MemorySource> {
  const target = await targetOf(flags);
  const { path } = target;
  if (target.kind === 'storage') {
    const storage = await target.look();
    if (storage === null) throw missing('storage', path);
    return { kind: 'storage', path, storage };
  }
  if (!(await isThere(path))) throw missing('memory file', path);
  return { kind: 'document', path, ...(await openDocument(path)) };
}

function missing(what: string, path: string): UsageError {
  return new UsageError(
    `There is no ${what} ${JSON.stringify(path)}. Check the spelling, or make it with pawl memory import.`,
  );
}

/** What the flags mean. What they name need not be there; without a name, what an agent has left behind is looked for. */
export async function targetOf(flags: SourceFlags): Promise<Target> {
  const { dir = '.', store } = flags;
  const named = namedTarget(flags);
  if (named !== null) return named;
  const document = join(dir, 'data', memoryFileName);
  if (store === undefined && (await isThere(document))) return { kind: 'document', path: document };
  const found = (await isThere(dir)) ? await targetFor(await realpath(dir), flags) : null;
  if (found !== null) return found;
  throw new UsageError(
    `No agent has left a memory for the folder ${JSON.stringify(dir)}: there is neither ${JSON.stringify(document)} nor a storage. Name a folder with --dir, or a file with --file or --storage.`,
  );
}

function namedTarget({ file, storage, store, tenant }: SourceFlags): Target | null {
  if (file !== undefined && storage !== undefined)
    throw new UsageError('Give --file or --storage, not both: memory is in one place.');
  const path = file ?? storage;
  if (path === undefined) return null;
  if (store !== undefined || tenant !== undefined)
    throw new UsageError('Give a file or --store, not both: memory is in one place.');
  return file === undefined ? storageAt(path) : { kind: 'document', path };
}

/** What is remembered about a folder: by all workers, or on this machine. */
async function targetFor(folder: string, flags: SourceFlags): Promise<Target | null> {
  const shared = await sharedTarget(folder, flags);
  if (shared !== null) return shared;
  const shelf = storageFileFor(folder);
  return (await isThere(shelf)) ? storageAt(shelf) : null;
}

function storageAt(path: string): Target {
  return {
    kind: 'storage',
    path,
    look: async () => ((await isThere(path)) ? openStorage(path) : null),
    make: async () => openStorage(path),
  };
}

export function openStorage(path: string): Storage {
  try {
    return openSqliteStorage(path);
  } catch (error) {
    throw asUsageError(error, StorageError);
  }
}

export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return false;
    throw cannotRead(path, error);
  }
}

/** Reads a memory document and changes nothing, also if it is damaged. Throws one `UsageError` if it is none. */
export async function openDocument(path: string): Promise<OpenDocument> {
  const json = await readJson(path);
  const layout = layoutOf(json);
  const settings = await settingsBeside(path, layout);
  const { mtimeMs } = await stat(path);
  try {
    checkIsOurs(json, settings);
    const document = readMemoryDocument(json, { profile: layout, settings, at: Math.trunc(mtimeMs) });
    return { document, layout };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${JSON.stringify(path)}: ${error.message} It was left as it is.`, { cause: error });
  }
}

async function readJson(path: string): Promise<unknown> {
  const text = await readText(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const lastGood = `${path}.last-good`;
    const next = (await isThere(lastGood)) ? `The version before is ${JSON.stringify(lastGood)}.` : '';
    throw new UsageError(
      `${JSON.stringify(path)} is damaged: it is not JSON (${reason}). It was left as it is. ${next}`.trimEnd(),
      { cause: error },
    );
  }
}

async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    throw cannotRead(path, error);
  }
}

function cannotRead(path: string, cause: unknown): UsageError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : '';
  const reasons = new Map<unknown, string>([
    ['ENOENT', 'there is no such file'],
    ['ENOTDIR', 'there is no such file'],
    ['EISDIR', 'it is a folder'],
    ['ERR_ENCODING_INVALID_ENCODED_DATA', 'it is not text in UTF-8'],
  ]);
  const reason = reasons.get(code) ?? (cause instanceof Error ? cause.message : String(cause));
  return new UsageError(`Cannot read ${JSON.stringify(path)}: ${reason}. Name another file.`, { cause });
}

/** What the first version wrote has its logs at the top, by their older name, and is read and written as such. */
function layoutOf(json: unknown): LkjProfile {
  if (typeof json !== 'object' || json === null) return 'lkj';
  const hasOldLogs = Object.keys(json).some((key) => /^thinking_log_\d+$/.test(key));
  const hasOldState = Object.hasOwn(json, 'state') && (json as { state: unknown }).state === 'executing';
  return hasOldLogs || hasOldState ? 'lkj1' : 'lkj';
}

/** More than any log may have, so that no entry is dropped by being looked at; the agent itself has its own limit. */
const logEntriesMax = 999;

async function settingsBeside(path: string, layout: LkjProfile): Promise<MemorySettings> {
  const config = join(dirname(path), 'config.json');
  const hasConfig = basename(path) === memoryFileName && (await isThere(config));
  const settings = hasConfig ? configured(config, await readJson(config), layout) : memorySettings[layout];
  const logs = Object.fromEntries(
    logNames.map((name) => [name, { ...settings.logs[name], maxEntries: logEntriesMax }]),
  ) as MemorySettings['logs'];
  return { ...settings, logs };
}

function configured(path: string, json: unknown, layout: LkjProfile): MemorySettings {
  try {
    return readLkjConfig(json, layout).memory;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${JSON.stringify(path)}: ${error.message}`, { cause: error });
  }
}

/** Any object reads as an empty memory with foreign keys, which is not what whoever named the wrong file wants. */
function checkIsOurs(json: unknown, { logs }: MemorySettings): void {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return;
  const prefixes = [...Object.values(logs).map(({ keyPrefix }) => keyPrefix), 'thinking_log_'];
  const isOurs = Object.keys(json).some(
    (key) =>
      key === 'working_memory' || key === 'storage' || prefixes.some((prefix) => key.startsWith(prefix)),
  );
  if (!isOurs)
    throw new TypeError('This is not a memory document: it has neither working_memory nor storage.');
}
