import type { EntryStorage } from '@pawl/runtime';
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
  const named = store ?? (await loadConfig(folder, {}, null)).config.store;
  if (named === undefined || !isRedisUrl(named)) {
    if (tenant === undefined) return null;
    throw new UsageError('--tenant is for a memory in Redis: name it with --store redis://host:6379.');
  }
  const shared: SharedMemoryLocation = { url: named, folder, tenant: tenant ?? 'default' };
  return {
    kind: 'storage',
    path: sanitizeOneLine(`redis://${URL.parse(named)?.host ?? ''} ${shared.tenant} ${folder}`),
    make: () => openSharedStorage(shared),
    async look() {
      const storage = await openSharedStorage(shared);
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
