export { deriveExecutionId } from './executions/execution-id.ts';
export { createFileSpool } from './executions/file-spool.ts';
export { createMemorySpool } from './executions/spool.ts';
export type { ExecutionSpool, SpooledExecution } from './executions/spool.ts';
