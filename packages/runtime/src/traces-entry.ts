export { readTraces } from './traces/read-traces.ts';
export type { ReadTracesOptions } from './traces/read-traces.ts';
export type { TraceItem, TraceReadProblem } from './traces/trace-item.ts';
export { traceLimits } from './traces/trace-limits.ts';
export type { TraceLimits } from './traces/trace-limits.ts';
export { TraceSourceError, type TraceSourceErrorCode } from './traces/trace-sources.ts';
export { findAgentSessionFolders, listAgentSessionLocations } from './traces/agent-session-folders.ts';
export type {
  AgentSessionFolder,
  AgentSessionLocation,
  SessionEnvironment,
} from './traces/agent-session-folders.ts';
