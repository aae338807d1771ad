import { ensureParentFolder, getStorageFile } from '../platform/data-folder.ts';
import type { EntryStorage } from './storage.ts';

/** Opens a folder's memory on this machine; the file is created on the first write. */
export function openFolderStorage(dir: string): EntryStorage {
  return createLazyStorage(async () => {
    const { openSqliteStorage } = await import('./sqlite-storage.ts');
    const file = getStorageFile(dir);
    ensureParentFolder(file);
    return openSqliteStorage(file);
  });
}

/** Opens the storage on first use, so that sessions that store nothing create no file. */
function createLazyStorage(open: () => Promise<EntryStorage>): EntryStorage {
  let opened: Promise<EntryStorage> | null = null;
  const openOnce = (): Promise<EntryStorage> =>
    (opened ??= open().catch((error: unknown) => {
      // The next call tries again.
      opened = null;
      throw error;
    }));
  return {
    save: async (entries) => (await openOnce()).save(entries),
    load: async (key) => (await openOnce()).load(key),
    search: async (query) => (await openOnce()).search(query),
    list: async (range) => (await openOnce()).list(range),
    remove: async (key) => (await openOnce()).remove(key),
    count: async () => (await openOnce()).count(),
    close: async () => (await opened)?.close(),
  };
}
