import type { Storage } from '@pawl/runtime';
import { isRedis, openStore } from '../store-option.ts';
import { UsageError } from '../usage-error.ts';
import { visibleLine } from '../visible.ts';
import type { SourceFlags, Target } from './memory-source.ts';
import { configFor } from './run-config.ts';
import { checkTenant } from './tenant.ts';

/** The memory that workers of the folder have, where sessions are in Redis; null where they are not. */
export async function sharedTarget(folder: string, { store, tenant }: SourceFlags): Promise<Target | null> {
  if (tenant !== undefined) checkTenant('--tenant', tenant);
  const named = store ?? (await configFor(folder, {}, null)).config.store;
  if (named === undefined || !isRedis(named)) {
    if (tenant === undefined) return null;
    throw new UsageError('--tenant is for a memory in Redis: name it with --store redis://host:6379.');
  }
  const shared: Shared = { url: named, folder, tenant: tenant ?? 'default' };
  return {
    kind: 'storage',
    path: visibleLine(`redis://${URL.parse(named)?.host ?? ''} ${shared.tenant} ${folder}`),
    make: () => openShared(shared),
    async look() {
      const storage = await openShared(shared);
      const count = await storage.count();
      if (count > 0) return storage;
      await storage.close();
      return null;
    },
  };
}

type Shared = { readonly url: string; readonly folder: string; readonly tenant: string };

/** Closing it closes the connection. */
async function openShared({ url, folder, tenant }: Shared): Promise<Storage> {
  const opened = await openStore({ dir: folder, store: url }, {});
  return { ...opened.memoryFor(folder, { tenant }), close: () => opened.close() };
}
