export { listSavantSuccessors, savantStates, savantTools } from './tracker/savant.ts';
export {
  createSessionTracker,
  recordCallOutcome,
  recordDecisionFailure,
  recordInSession,
  restartOnUserMessage,
  trackReply,
} from './tracker/session-tracker.ts';
export type { SessionTracker, TrackerReport } from './tracker/session-tracker.ts';
export { renderStateSection } from './tracker/state-section.ts';
export { appendRecent, computeStateDuration, describeRefusedTransition } from './tracker/tracker-machine.ts';
