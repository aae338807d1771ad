export { createInMemoryStorage } from './memory/in-memory-storage.ts';
export { foldEntryText, hasTags, listEntryWords, toQueryCriteria } from './memory/query-criteria.ts';
export type { QueryCriteria } from './memory/query-criteria.ts';
export { openSqliteStorage } from './memory/sqlite-storage.ts';
export {
  StorageError,
  type StorageErrorCode,
  getResultLimit,
  iterateEntries,
  storageLimits,
  type EntryStorage,
  type StorageQuery,
} from './memory/storage.ts';
