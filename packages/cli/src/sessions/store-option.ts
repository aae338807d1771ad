import type { Json } from '@pawl/core';
import { openFolderStorage } from '@pawl/runtime';
import { findStoreProblem, type Config } from '@pawl/runtime/config';
import { getDataFolder, ensureParentFolder, hashFolderName } from '@pawl/runtime/data-folder';
import type { EntryStorage } from '@pawl/runtime/storage';
import {
  createFileSpool,
  createMemorySpool,
  type ExecutionSpool,
  createMemoryStore,
  openSqliteStore,
  getSessionSpoolFolder,
  withManifestFolder,
  StoreError,
  type Store,
} from '@pawl/runtime/store';
import { closeSync, existsSync, openSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadConfig } from '../options/load-config.ts';
import { UsageError, toUsageError } from '../output/exit-codes.ts';
import type { VerdictFeedbackRepository } from './verdict-feedback.ts';

/** An opened session store with its companions. */
export type OpenedStore = {
  readonly store: Store;
  /** Returns the spool that holds a session's tool execution records until its log has them. */
  spoolFor(id: string): ExecutionSpool;
  /**
   * Returns the memory of a folder: with Redis, the one that workers share, selected by the session's metadata or by a
   * tenant; otherwise the one on this machine.
   */
  memoryFor(dir: string, owner: MemoryOwner): EntryStorage;
  /** Feedback on verdicts; null without persistence. */
  readonly marks: VerdictFeedbackRepository | null;
  /** The database; null without persistence. */
  readonly path: string | null;
  /** Whether its sessions may be run: false for a database that came with a folder. */
  readonly isOwn: boolean;
  /** Why nothing is persisted, if that was not requested. */
  readonly warning: string | null;
  close(): Promise<void>;
};

export type MemoryOwner = { readonly metadata: Json } | { readonly tenant: string };

export type StoreFlags = {
  /** The folder that the agent works in. */
  readonly dir: string;
  /** user, workspace, none, a file, or a Redis URL. */
  readonly store?: string | undefined;
};

const storeFileName = 'sessions.db';

/**
 * Opens the store storeName by the command line, the environment or the configuration, in this order; by default the
 * user's.
 */
export async function openConfiguredStore(flags: StoreFlags): Promise<OpenedStore> {
  const { config } = await loadConfig(resolve(flags.dir), {}, null);
  return openStore(flags, config);
}

/** Like {@link openConfiguredStore}, with a configuration that is already loaded. */
export async function openStore({ dir, store }: StoreFlags, config: Config): Promise<OpenedStore> {
  const storeName = store ?? config.store;
  const problem = store === undefined ? null : findStoreProblem(store);
  if (problem !== null) throw new UsageError(`--store: ${problem}`);
  if (storeName === 'none') return createMemoryOnlyStore(null);
  if (storeName !== undefined && isRedisUrl(storeName)) return openRedisBackedStore(storeName);
  return openDatabaseStore(resolveStoreFile(storeName ?? 'user', dir));
}

/**
 * Like {@link openStore}, for new sessions: if the default store cannot be opened, falls back to memory with a warning.
 */
export async function openStoreOrMemory(flags: StoreFlags, config: Config): Promise<OpenedStore> {
  try {
    return await openStore(flags, config);
  } catch (error) {
    if ((flags.store ?? config.store) !== undefined || !(error instanceof UsageError)) throw error;
    return createMemoryOnlyStore(`${error.message} This session will not be saved.`);
  }
}

function createMemoryOnlyStore(warning: string | null): OpenedStore {
  const store = createMemoryStore();
  const close = (): Promise<void> => store.close();
  const shared = { path: null, isOwn: true, memoryFor: openFolderStorage, marks: null };
  return { ...shared, store, spoolFor: createMemorySpool, warning, close };
}

function resolveStoreFile(storeName: string, dir: string): string {
  if (storeName === 'user') return join(getDataFolder(), storeFileName);
  if (storeName === 'workspace') return join(resolve(dir), '.pawl', storeFileName);
  return resolve(storeName);
}

export function isRedisUrl(storeName: string): boolean {
  return /^rediss?:\/\//.test(storeName);
}

/**
 * Everyone with access to Redis is trusted with its contents. The package is loaded lazily, because most commands never
 * need it.
 */
async function openRedisBackedStore(url: string): Promise<OpenedStore> {
  const worker = await import('@pawl/worker');
  const { createRedisFeedback } = await import('./verdict-feedback-redis.ts');
  try {
    const folder = join(getDataFolder(), 'worker');
    const { redis, close } = await worker.connectDurableRedis(url);
    const { host } = new URL(url);
    return {
      store: withManifestFolder(worker.createRedisStore(redis), folder),
      path: `redis://${host}`,
      isOwn: true,
      warning: null,
      spoolFor: (id) => createFileSpool(getSessionSpoolFolder(folder, id)),
      memoryFor(dir, owner) {
        const tenant = 'tenant' in owner ? owner.tenant : worker.getTenant(owner.metadata);
        return worker.createFolderStorage(redis, { dir, tenant });
      },
      marks: createRedisFeedback(worker.createSessionFeedbackStore(redis)),
      close,
    };
  } catch (error) {
    throw toUsageError(error, StoreError);
  }
}

function openDatabaseStore(path: string): OpenedStore {
  try {
    requireNoFolder(path);
    ensureParentFolder(path);
    const folder = realpathSync.native(dirname(path));
    if (isEmptyFile(path)) initializeStoreFile(folder, path);
    const store = withManifestFolder(openSqliteStore(path), folder);
    return {
      store,
      path,
      isOwn: isKnownStore(path),
      warning: null,
      spoolFor: (id) => createFileSpool(getSessionSpoolFolder(folder, id)),
      memoryFor: openFolderStorage,
      marks: openFeedbackFile(path),
      close: () => store.close(),
    };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof StoreError) throw new UsageError(error.message, { cause: error });
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `Cannot open the session store ${JSON.stringify(path)}: ${reason}. Choose another --store.`,
      {
        cause: error,
      },
    );
  }
}

function requireNoFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  throw new UsageError(
    `The session store ${JSON.stringify(path)} is a folder. Name a database file in it: --store ${JSON.stringify(join(path, storeFileName))}`,
  );
}

/** Loads the feedback file on first use: most commands never need it. */
function openFeedbackFile(database: string): VerdictFeedbackRepository {
  const open = async (): Promise<VerdictFeedbackRepository> => {
    const { createFeedbackFile } = await import('./verdict-feedback-file.ts');
    return createFeedbackFile(database);
  };
  return {
    keep: async (feedback) => (await open()).keep(feedback),
    forget: async (verdict) => (await open()).forget(verdict),
    read: async (sessions) => (await open()).read(sessions),
  };
}

/** Returns whether the file is missing or empty, so that it cannot contain foreign sessions. */
function isEmptyFile(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/**
 * Registers a new database as created here before it contains anything. In a project, a .gitignore keeps it out of
 * version control.
 */
function initializeStoreFile(folder: string, path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  registerStore(path);
  const ignore = join(folder, '.gitignore');
  if (folder.endsWith('.pawl') && !existsSync(ignore)) writeFileSync(ignore, '*\n');
}

/** Flags common to all session commands. */
export type SessionFlags = {
  /** The folder that `last` and lists refer to. */
  readonly dir: string;
  /** The store: user, workspace, or a file. */
  readonly store?: string | undefined;
  readonly json?: boolean | undefined;
};

/** Opens the store, runs `work`, and always closes the store afterwards. */
export async function withSessionStore<Result>(
  flags: SessionFlags,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const opened = await openConfiguredStore(flags);
  try {
    return await work(opened.store);
  } finally {
    await opened.close();
  }
}

/**
 * Returns whether a database was created on this machine. A database that came with a folder may contain sessions and
 * tool calls that this user never ran or allowed, so known databases are registered by path and file identity.
 */
function isKnownStore(path: string): boolean {
  const real = realpathSync.native(path);
  return real === join(resolveDataFolder(), 'sessions.db') || existsSync(getStoreMarkerPath(real));
}

export function registerStore(path: string): void {
  const marker = getStoreMarkerPath(realpathSync.native(path));
  ensureParentFolder(marker);
  writeFileSync(marker, `${path}\n`, { mode: 0o600 });
}

function getStoreMarkerPath(real: string): string {
  const { dev, ino } = statSync(real, { bigint: true });
  return join(getDataFolder(), 'stores', hashFolderName(`${real}\n${dev}\n${ino}`));
}

function resolveDataFolder(): string {
  try {
    return realpathSync.native(getDataFolder());
  } catch {
    return getDataFolder();
  }
}
