/** The types of the HTTP API. Nothing here depends on Node, so the web app can import these types directly. */
export type { ApprovalRequest, ApprovalList, CommandRequest } from './control.ts';
export type { ApiErrorBody, ApiErrorCode } from './errors.ts';
export type { FleetStatus, StoredMemory, ModelPrompt } from './insight.ts';
export type { ImportedRun, ImportResult } from './imports.ts';
export type { NumberedEvent } from './shared-schemas.ts';
export type {
  CreateSessionRequest,
  EventsPage,
  ForkRequest,
  SessionHolder,
  VerdictFeedbackEntry,
  SessionDetail,
  SessionList,
  SessionListItem,
} from './sessions.ts';
