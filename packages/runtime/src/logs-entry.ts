export { computeLinkHash } from './store/chain.ts';
export { forkStoredSession, type ForkOptions } from './store/fork.ts';
export { replaySteps } from './store/replay-steps.ts';
export {
  exportFormat,
  exportVersion,
  ExportedSessionError,
  parseExportedSession,
  type ExportedSession,
} from './store/exported-session.ts';
