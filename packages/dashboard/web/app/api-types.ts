/** The shapes of the HTTP API, from the server's own schemas: types only, so that none of its code gets in here. */
export type {
  Approval,
  Command,
  CreateSession,
  EventsPage,
  Fleet,
  ImportedRun,
  Imports,
  KeptEvent,
  Mark,
  Prompt,
  SessionDetail,
  SessionList,
  SessionRow,
  Shelf,
} from '../../src/api/index.ts';
