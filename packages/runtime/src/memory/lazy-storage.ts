import type { Storage } from './storage.ts';

/** A storage that is opened, or made, only when it is first used: whoever stores nothing leaves nothing behind. */
export function lazyStorage(open: () => Storage): Storage {
  let opened: Storage | null = null;
  const storage = (): Storage => (opened ??= open());
  return {
    save: async (entries) => storage().save(entries),
    load: async (key) => storage().load(key),
    search: async (query) => storage().search(query),
    list: async (part) => storage().list(part),
    remove: async (key) => storage().remove(key),
    count: async () => storage().count(),
    close: async () => opened?.close(),
  };
}
