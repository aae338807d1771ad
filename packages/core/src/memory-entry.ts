export {
  admitEntry,
  applyLoadResult,
  applyMemoryAction,
  applySearchResult,
  applyStorageResult,
  type AdmissionResult,
  type MemoryActionOutcome,
  memoryCommands,
  type MemoryCommand,
} from './memory/apply-memory-action.ts';
export { compactMessages, halveConversation } from './memory/compact-messages.ts';
export type { MessageCompaction, MessageCompactionOptions } from './memory/compact-messages.ts';
export {
  calibrateEstimator,
  estimateCalibratedTokens,
  estimateTokens,
  initialEstimator,
  type ContextWindow,
  type TokenEstimator,
} from './memory/estimate-tokens.ts';
export {
  dumpMemory,
  countLkjTokens,
  countMemoryTokens,
  createMemory,
  findEntry,
  isPagingDue,
  isPagingRequired,
  listEntries,
  putEntry,
  toMemoryObject,
  type EntryInput,
  type EntryKind,
  type MemoryEntry,
  type WorkingMemory,
  type MemoryEffect,
  type StorageLoad,
  type StorageSave,
  type StorageSearch,
  type StoredEntry,
} from './memory/memory.ts';
export { listLogEntries, writeLog } from './memory/logs.ts';
export {
  memoryActionTypes,
  memoryActions,
  normalizeTags,
  parseMemoryAction,
  parseTagKey,
  toTagKey,
} from './memory/memory-action.ts';
export type {
  MemoryAction,
  MemoryActionType,
  NormalizedTags,
  ParsedMemoryAction,
} from './memory/memory-action.ts';
export { pageEntries } from './memory/page-entries.ts';
export type { MovedEntry, PagingOptions, PagingResult } from './memory/page-entries.ts';
export { getPagingLimit, toMemoryAction } from './reducers/reduce-memory.ts';
export {
  findLogWithSharedPrefix,
  getMemoryLimit,
  logNames,
  logPrefixPattern,
  logPrefixRequirement,
  memorySettings,
} from './memory/settings.ts';
export type {
  LogSettings,
  MemoryLogName,
  MemoryProfile,
  MemorySettings,
  TokenLimit,
} from './memory/settings.ts';
