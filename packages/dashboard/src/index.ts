export { createDashboard } from './dashboard.ts';
export type { DashboardServer, DashboardOptions } from './dashboard.ts';
export type { SessionHost, SessionPreparer } from './hosts/session-host.ts';
export { createLocalHost } from './hosts/local-host.ts';
export type { ExternalRuns, LocalHostOptions } from './hosts/local-host.ts';
export { createQueueHost } from './hosts/queue-host.ts';
export type { QueueHostOptions } from './hosts/queue-host.ts';
export { createMemoryFeedbackStore } from './hosts/feedback-store.ts';
export type { VerdictFeedbackStore } from './hosts/feedback-store.ts';
export { buildOpenApiDocument } from './openapi.ts';
export type { OpenApiDocument } from './openapi.ts';
export { ListenError, startDashboard } from './start-dashboard.ts';
export type { RunningDashboard, StartDashboardOptions } from './start-dashboard.ts';
export type {
  CreateSessionRequest,
  VerdictFeedbackEntry,
  SessionDetail,
  SessionListItem,
} from './api/index.ts';
