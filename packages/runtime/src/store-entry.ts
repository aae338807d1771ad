export { deriveExecutionId } from './agent/run-tool.ts';
export {
  createFileSpool,
  createMemorySpool,
  type ExecutionSpool,
  type SpooledExecution,
} from './store/spool.ts';
export { findManifest, getSessionSpoolFolder, withManifestFolder } from './store/manifest-folder.ts';
export { createMemoryStore } from './store/memory-store.ts';
export { getMetadataText, getMetadataTools, createRowStore } from './store/row-store.ts';
export { getOwnerState, getProcessOwner } from './store/owner.ts';
export type { EventRow, SessionRow, SnapshotRow, StoreRows } from './store/rows.ts';
export type { SqliteStoreOptions } from './store/sqlite-connection.ts';
export { openSqliteStore } from './store/sqlite-store.ts';
export { computeStateHash, createStoreEventLog } from './store/store-event-log.ts';
export { formatSessionLabel, StoreError } from './store/store-error.ts';
export type { StoreErrorCode } from './store/store-error.ts';
export type {
  CreateSessionOptions,
  LogDamage,
  LogPosition,
  OpenedSession,
  SessionClaim,
  SessionParent,
  SessionPast,
  SessionSummary,
  Store,
  StoredEvent,
  VerificationResult,
} from './store/store.ts';
