import type { SessionSummary } from '@pawl/runtime/store';

type StatusSet = ReadonlySet<SessionSummary['status']>;

/** A session in one of these statuses accepts no commands. */
export const endedStatuses: StatusSet = new Set(['halted', 'shuttingDown', 'damaged']);

/** A session in one of these statuses waits for a user, and no process runs it. */
export const waitingForPersonStatuses: StatusSet = new Set([
  'waitingForUser',
  'awaitingPermission',
  'paused',
]);
