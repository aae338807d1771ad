import { createLazyStorage, openSqliteStorage, type EntryStorage } from '@pawl/runtime';
import { ensureParentFolder, getStorageFile } from './data-folder.ts';

/** Opens a folder's memory on this machine; the file is created on the first write. */
export function openFolderStorage(dir: string): EntryStorage {
  return createLazyStorage(() => {
    const file = getStorageFile(dir);
    ensureParentFolder(file);
    return openSqliteStorage(file);
  });
}
