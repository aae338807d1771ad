/** The types of the HTTP API. Nothing here depends on Node, so the web app can import these types directly. */
export type { ApprovalRequest, ApprovalList } from './approvals.ts';
export type { CommandRequest } from './commands.ts';
export type { ApiErrorBody, ApiErrorCode } from './errors.ts';
export type { FleetStatus } from './fleet.ts';
export type { ImportedRun, ImportResult } from './imports.ts';
export type { StoredMemory } from './memory.ts';
export type { NumberedEvent } from './shared-schemas.ts';
export type { ModelPrompt } from './prompt.ts';
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
