/** The shapes of the HTTP API. Nothing here needs Node, so that pages can use the types as they are. */
export type { Approval, Approvals } from './approvals.ts';
export type { Command } from './commands.ts';
export type { ApiErrorBody, ErrorCode } from './errors.ts';
export type { Fleet } from './fleet.ts';
export type { ImportedRun, Imports } from './imports.ts';
export type { Shelf } from './memory.ts';
export type { KeptEvent } from './parts.ts';
export type { Prompt } from './prompt.ts';
export type {
  CreateSession,
  EventsPage,
  Fork,
  Holder,
  Mark,
  SessionDetail,
  SessionList,
  SessionRow,
} from './sessions.ts';
