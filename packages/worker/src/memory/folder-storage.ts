import type { EntryStorage } from '@pawl/runtime/storage';
import type { RedisClient } from '../redis-client.ts';
import { createRedisStorage } from './redis-storage.ts';

export type FolderStorageOptions = {
  /** The real path of the folder. */
  readonly dir: string;
  readonly tenant: string;
  readonly prefix?: string;
};

/** The shared memory of a folder, for all sessions of one tenant that work there, on any machine. */
export function createFolderStorage(
  redis: RedisClient,
  { dir, tenant, ...options }: FolderStorageOptions,
): EntryStorage {
  return createRedisStorage(redis, { name: `${tenant} ${dir}`, ...options });
}
