export { advanceSession } from './advance-session.ts';
export type { AdvanceOutcome } from './advance-session.ts';
export { awaitRedis } from './redis/await-redis.ts';
export type { AwaitRedisOptions } from './redis/await-redis.ts';
export type { DeadLetter } from './crash-ledger.ts';
export { connectRedis } from './redis/connect-redis.ts';
export type { RedisConnection, ConnectRedisOptions } from './redis/connect-redis.ts';
export { checkDurability } from './redis/durability.ts';
export type { DurabilityOptions } from './redis/durability.ts';
export {
  createFolderStorage,
  type FolderStorageOptions,
  createRedisStorage,
  type RedisStorageOptions,
} from './memory/redis-storage.ts';

export { SessionLease } from './session-lease.ts';
export {
  connectDurableRedis,
  openRedisStore,
  createRedisStore,
  type OpenRedisStoreOptions,
  type RedisStoreOptions,
} from './store/redis-store.ts';
export type { AgentFactoryContext, AgentSetup, AgentFactory } from './agent-factory.ts';
export { createSessionAgentFactory } from './session-agent-factory.ts';
export type { SessionAgentOptions } from './session-agent-factory.ts';
export { getQueueAssignment, getTenant } from './queue-assignment.ts';
export type { TenantRate, SessionTemplate, TenantLimits } from './tenant-queues.ts';
export type { ScheduleSummary, ScheduleManager } from './schedules.ts';
export { createSessionFeedbackStore } from './session-feedback.ts';
export type { SessionFeedbackStore } from './session-feedback.ts';
export { createSessionQueue } from './session-queue.ts';
export type { TenantQueueDepth, SessionQueue } from './session-queue.ts';
export type { SubmitSessionOptions } from './submit-session.ts';
export { startWorker } from './worker.ts';
export type { RunningWorker, WorkerOptions, WorkerReport } from './worker.ts';
export type { ScheduleTiming } from './schedule-registry.ts';
