export {
  findCallInProgress,
  listAddedMessages,
  toReplayedStep,
  type ReplayedStep,
} from './projections/replayed-step.ts';
export {
  describeEvent,
  formatCall,
  formatOutcome,
  getItemDuration,
  getItemTopic,
  isFailedItem,
  isTimelineItem,
  listTranscriptItems,
  summarizeItem,
  type MessageAuthor,
  type TranscriptFact,
  type TranscriptItem,
  type TranscriptItemOfKind,
  type TranscriptTopic,
} from './projections/transcript.ts';
export {
  countBlockedCalls,
  listDecisions,
  listUnrunCalls,
  listVerdicts,
  type SessionDecision,
  type UnrunCall,
} from './projections/decisions.ts';
export {
  advanceOpenTurn,
  diffSpans,
  findOpenTurn,
  getTurnEnding,
  listOpenSpans,
  type EndedSpan,
  type EndedTurn,
  type SessionSpan,
  type SpanChange,
  type SpanKind,
  type SpanResult,
  type TurnSpan,
} from './projections/spans.ts';
export {
  deriveSessionEnding,
  emptyOutcome,
  isTurnEndingResponse,
  listPendingApprovals,
  restingStatuses,
  updateOutcome,
  type SessionEnding,
  type TurnOutcome,
} from './projections/status.ts';
export { addEventTotals, countTotalTokens, emptyTotals, type SessionTotals } from './projections/totals.ts';
export { findToolAnswer } from './session/session-status.ts';
