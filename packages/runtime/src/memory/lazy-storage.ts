import type { EntryStorage } from './storage.ts';

/** Opens the storage on first use, so that sessions that store nothing create no file. */
export function createLazyStorage(open: () => EntryStorage): EntryStorage {
  let opened: EntryStorage | null = null;
  const storage = (): EntryStorage => (opened ??= open());
  return {
    save: async (entries) => storage().save(entries),
    load: async (key) => storage().load(key),
    search: async (query) => storage().search(query),
    list: async (range) => storage().list(range),
    remove: async (key) => storage().remove(key),
    count: async () => storage().count(),
    close: async () => opened?.close(),
  };
}
