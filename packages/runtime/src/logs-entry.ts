export { computeLinkHash } from './store/chain.ts';
export { replaySteps } from './store/replay-steps.ts';
export {
  exportFormat,
  exportVersion,
  ExportedSessionError,
  parseExportedSession,
  type ExportedSession,
} from './store/exported-session.ts';
export { forkStoredSession } from './store/fork.ts';
export type { ForkOptions } from './store/fork.ts';
