import type { Storage } from '@pawl/runtime';
import type { RedisClient } from '../redis-client.ts';
import { redisStorage } from './redis-storage.ts';

export type FolderStorageOptions = {
  /** The folder, by its real path. */
  readonly dir: string;
  readonly tenant: string;
  readonly prefix?: string;
};

/** The memory of a folder: of all who work there, wherever they run, and of no other tenant. */
export function folderStorage(
  redis: RedisClient,
  { dir, tenant, ...options }: FolderStorageOptions,
): Storage {
  return redisStorage(redis, { name: `${tenant} ${dir}`, ...options });
}
