/** The types of the HTTP API, from the server's schemas. Only types are imported, so no server code is bundled. */
export type {
  ApprovalRequest,
  CommandRequest,
  CreateSessionRequest,
  EventsPage,
  FleetStatus,
  ImportedRun,
  ImportResult,
  NumberedEvent,
  VerdictFeedbackEntry,
  ModelPrompt,
  SessionDetail,
  SessionList,
  SessionListItem,
  StoredMemory,
} from '../../src/api/index.ts';
