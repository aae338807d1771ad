export { deriveExecutionId } from './agent/run-tool.ts';
export { createFileSpool } from './store/file-spool.ts';
export { createMemorySpool } from './store/spool.ts';
export type { ExecutionSpool, SpooledExecution } from './store/spool.ts';
export { forkStoredSession } from './store/fork.ts';
export type { ForkOptions } from './store/fork.ts';
export { getSessionSpoolFolder, withManifestFolder } from './store/manifest-folder.ts';
export { createMemoryStore } from './store/memory-store.ts';
export { getMetadataText, getMetadataTools } from './store/session-metadata.ts';
export { getOwnerState, getProcessOwner } from './store/owner.ts';
export { createRowStore } from './store/row-store.ts';
export type { EventRow, SessionRow, SnapshotRow, StoreRows } from './store/rows.ts';
export type { SqliteStoreOptions } from './store/sqlite-connection.ts';
export { openSqliteStore } from './store/sqlite-store.ts';
export { computeStateHash, createStoreEventLog } from './store/store-event-log.ts';
export { StoreError } from './store/store-error.ts';
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
export { computeLinkHash } from './store/chain.ts';
export { replaySteps } from './store/replay-steps.ts';
export {
  exportFormat,
  exportVersion,
  ExportedSessionError,
  parseExportedSession,
  type ExportedSession,
} from './store/exported-session.ts';
