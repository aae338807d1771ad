/** The shapes of the HTTP API, from the schemas of the server itself: only types, so that nothing of it gets in here. */
export type {
  Approval,
  Command as SessionCommand,
  CreateSession as NewSession,
  EventsPage as EventPage,
  Fleet,
  ImportedRun,
  Imports,
  KeptEvent,
  Mark,
  Prompt as SentPrompt,
  SessionDetail,
  SessionList as SessionPage,
  SessionRow,
  Shelf,
} from '../../src/api/index.ts';
