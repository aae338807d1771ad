import { lazyStorage, openSqliteStorage, type Storage } from '@pawl/runtime';
import { makeFolderFor, storageFileFor } from './data-folder.ts';

/** What is remembered about a folder, in a file of this machine, which is made when there is something to remember. */
export function storageHere(dir: string): Storage {
  return lazyStorage(() => {
    const file = storageFileFor(dir);
    makeFolderFor(file);
    return openSqliteStorage(file);
  });
}
