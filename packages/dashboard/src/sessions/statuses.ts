import type { SessionSummary } from '@pawl/runtime';

type Statuses = ReadonlySet<SessionSummary['status']>;

/** Nothing can be asked of a session in one of these. */
export const overStatuses: Statuses = new Set(['halted', 'shuttingDown', 'damaged']);

/** A session in one of these waits for people, and nobody works on it. */
export const quietStatuses: Statuses = new Set(['waitingForUser', 'awaitingPermission', 'paused']);
