export { createInMemoryStorage } from './memory/in-memory-storage.ts';
export {
  foldEntryText,
  hasTags,
  listEntryWords,
  toQueryCriteria,
  type QueryCriteria,
  StorageError,
  type StorageErrorCode,
  getResultLimit,
  iterateEntries,
  storageLimits,
  type EntryStorage,
  type StorageQuery,
} from './memory/storage.ts';
export { openSqliteStorage } from './memory/sqlite-storage.ts';
