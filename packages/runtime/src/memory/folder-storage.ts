import { ensureParentFolder, getStorageFile } from '../data-folder.ts';
import { createLazyStorage } from './lazy-storage.ts';
import { openSqliteStorage } from './sqlite-storage.ts';
import type { EntryStorage } from './storage.ts';

/** Opens a folder's memory on this machine; the file is created on the first write. */
export function openFolderStorage(dir: string): EntryStorage {
  return createLazyStorage(() => {
    const file = getStorageFile(dir);
    ensureParentFolder(file);
    return openSqliteStorage(file);
  });
}
