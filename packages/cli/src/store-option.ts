import { closeSync, existsSync, openSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Json } from '@pawl/core';
import {
  createFileSpool,
  createMemorySpool,
  createMemoryStore,
  openSqliteStore,
  StoreError,
  type Config,
  type Spool,
  type Storage,
  type Store,
} from '@pawl/runtime';
import { configFor } from './commands/run-config.ts';
import type { MarkShelf } from './commands/verdict-marks.ts';
import { marksBeside } from './commands/verdict-marks-file.ts';
import { dataFolder, makeFolderFor } from './data-folder.ts';
import { isKnownStore, rememberStore } from './known-stores.ts';
import { storageHere } from './storage-here.ts';
import { spoolFolder, withFolder } from './store-folder.ts';
import { UsageError, asUsageError } from './usage-error.ts';

/** Where sessions are kept, opened. */
export type OpenedStore = {
  readonly store: Store;
  /** Where what is known of the calls of a session is until its log has it. */
  spoolFor(id: string): Spool;
  /**
   * What agents remember about a folder: with sessions in Redis that which workers have, else that of this machine. Whose it
   * is, what is said about the session tells, or a name.
   */
  memoryFor(dir: string, whose: Whose): Storage;
  /** What people think of verdicts; null where nothing is kept beyond the process. */
  readonly marks: MarkShelf | null;
  /** The database; null where nothing is kept beyond the process. */
  readonly path: string | null;
  /** Whether what it holds may be acted on: false for a database that came with a folder. */
  readonly isOwn: boolean;
  /** Why nothing is kept, where that is not what was asked for. */
  readonly warning: string | null;
  close(): Promise<void>;
};

export type Whose = { readonly about: Json } | { readonly tenant: string };

export type StoreFlags = {
  /** The folder that the agent works in. */
  readonly dir: string;
  /** user, workspace, none, or a file. */
  readonly store?: string | undefined;
};

const fileName = 'sessions.db';

/** The store that the command line, the environment or the configuration names, in this order; else the user's own. */
export async function openStoreFor(flags: StoreFlags): Promise<OpenedStore> {
  const { config } = await configFor(resolve(flags.dir), {}, null);
  return openStore(flags, config);
}

/** The same, for whoever has the configuration already. */
export async function openStore({ dir, store }: StoreFlags, config: Config): Promise<OpenedStore> {
  const named = store ?? config.store;
  if (named === 'none') return nowhere(null);
  if (named !== undefined && isRedis(named)) return openRedis(named);
  return openAt(fileFor(named ?? 'user', dir));
}

/** The same, for new work: who asked for no place in particular is not kept from working by one that cannot be had. */
export async function openStoreOrNowhere(flags: StoreFlags, config: Config): Promise<OpenedStore> {
  try {
    return await openStore(flags, config);
  } catch (error) {
    if ((flags.store ?? config.store) !== undefined || !(error instanceof UsageError)) throw error;
    return nowhere(`${error.message} This session is not kept.`);
  }
}

function nowhere(warning: string | null): OpenedStore {
  const store = createMemoryStore();
  const close = (): Promise<void> => store.close();
  const here = { path: null, isOwn: true, memoryFor: storageHere, marks: null };
  return { ...here, store, spoolFor: createMemorySpool, warning, close };
}

function fileFor(named: string, dir: string): string {
  if (named === 'user') return join(dataFolder(), fileName);
  if (named === 'workspace') return join(resolve(dir), '.pawl', fileName);
  if (/^[a-z][a-z+.-]*:\/\//i.test(named)) {
    throw new UsageError(
      `${JSON.stringify(named)} is not a place to keep sessions. Name one of: user, workspace, none, a file, or redis://host:6379.`,
    );
  }
  return resolve(named);
}

export function isRedis(named: string): boolean {
  return /^rediss?:\/\//.test(named);
}

/** What is in Redis belongs to whoever has its password. It is loaded only where it is needed: most never do. */
async function openRedis(url: string): Promise<OpenedStore> {
  const worker = await import('@pawl/worker');
  const { marksInRedis } = await import('./commands/verdict-marks-redis.ts');
  try {
    const folder = join(dataFolder(), 'worker');
    const { redis, close } = await worker.connectDurable(url);
    const { host } = new URL(url);
    return {
      store: withFolder(worker.redisStore(redis), folder),
      path: `redis://${host}`,
      isOwn: true,
      warning: null,
      spoolFor: (id) => createFileSpool(spoolFolder(folder, id)),
      memoryFor(dir, whose) {
        const tenant = 'tenant' in whose ? whose.tenant : worker.tenantIn(whose.about);
        return worker.folderStorage(redis, { dir, tenant });
      },
      marks: marksInRedis(worker.sessionMarks(redis)),
      close,
    };
  } catch (error) {
    throw asUsageError(error, StoreError);
  }
}

function openAt(path: string): OpenedStore {
  try {
    makeFolderFor(path);
    const folder = realpathSync(dirname(path));
    if (isEmpty(path)) welcome(folder, path);
    const store = withFolder(openSqliteStore(path), folder);
    return {
      store,
      path,
      isOwn: isKnownStore(path),
      warning: null,
      spoolFor: (id) => createFileSpool(spoolFolder(folder, id)),
      memoryFor: storageHere,
      marks: marksBeside(path),
      close: () => store.close(),
    };
  } catch (error) {
    if (error instanceof StoreError) throw new UsageError(error.message, { cause: error });
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `Sessions cannot be kept in ${JSON.stringify(path)}: ${why}. Name another --store.`,
      {
        cause: error,
      },
    );
  }
}

/** There is nothing in it that anybody could have put there: no file, or one that was only just made. */
function isEmpty(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/**
 * What is made here is the user's own, which is noted before there is anything in it. And what an agent leaves in a project
 * is none of that project's files.
 */
function welcome(folder: string, path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  rememberStore(path);
  const ignore = join(folder, '.gitignore');
  if (folder.endsWith('.pawl') && !existsSync(ignore)) writeFileSync(ignore, '*\n');
}
