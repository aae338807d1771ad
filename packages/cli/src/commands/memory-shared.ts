import type { EntryStorage } from '@pawl/runtime/storage';
import { isRedisUrl, openStore } from '../store-option.ts';
import { UsageError } from '../usage-error.ts';
import { sanitizeOneLine } from '../sanitize-text.ts';
import type { MemorySourceFlags, MemoryTarget } from './memory-source.ts';
import { loadConfig } from './run-config.ts';
import { requireTenantName } from './tenant.ts';

/** Returns the memory that workers share for a folder if sessions are in Redis; null otherwise. */
export async function findSharedTarget(
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
