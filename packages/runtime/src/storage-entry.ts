export { openFolderStorage } from './memory/folder-storage.ts';
export { createInMemoryStorage } from './memory/in-memory-storage.ts';
export { foldEntryText, hasTags, listEntryWords, toQueryCriteria } from './memory/query-criteria.ts';
export type { QueryCriteria } from './memory/query-criteria.ts';
export { openSqliteStorage } from './memory/sqlite-storage.ts';
export { StorageError } from './memory/storage-error.ts';
export type { StorageErrorCode } from './memory/storage-error.ts';
export { getResultLimit, iterateEntries, storageLimits } from './memory/storage.ts';
export type { EntryStorage, StorageQuery } from './memory/storage.ts';
