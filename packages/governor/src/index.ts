export { assignCallIds } from './observations/call-ids.ts';
export type { RequestedCall, ToolCall } from './observations/call-ids.ts';
export {
  computeRuleDistances,
  initialDetectorState,
  resetDetector,
  resetReplyWindows,
  runDetector,
} from './verdicts/detector.ts';
export type { DetectorState, GradedMatch, ObservationWindows, RuleDistance } from './verdicts/detector.ts';
export { defaultMaxRecoveries } from './rules/governor-settings.ts';
export type { ErrorRemedy, GovernorSettings, KnownRecovery } from './rules/governor-settings.ts';
export type { Json, JsonObject } from './json/json.ts';
export { initialLadder, judgeObservation, screenCalls } from './verdicts/ladder.ts';
export type { BlockedCall, LadderState } from './verdicts/ladder.ts';
export {
  formatToolOutput,
  observeCall,
  type CallFacts,
  type CallObservation,
  type FileContentChange,
  type FileEffect,
} from './observations/call-observation.ts';
export { observeMarkedCall } from './observations/call-observation.ts';
export { readToolResult } from './observations/tool-result.ts';
export type { ToolResultReading, ToolResultFacts, ToolResultStatus } from './observations/tool-result.ts';
export { fingerprintText } from './observations/fingerprint.ts';
export type {
  FailedDecisionObservation,
  GovernorObservation,
  ObservationByKind,
  ObservationKind,
  OverdueModeObservation,
  PagingObservation,
  RepetitionObservation,
  WaitObservation,
} from './observations/observation.ts';
export {
  RepetitionDetector,
  findRepetitionLoop,
  observeRepetitionLoop,
} from './observations/text-observation.ts';
export type { RepetitionLoop } from './observations/text-observation.ts';
export {
  computeSimilarity,
  isContinuationMessage,
  observeText,
  removeHostText,
} from './observations/text-observation.ts';
export type { TextObservation } from './observations/text-observation.ts';
export { findRecovery, pawlRecoveries, type Verdict, type VerdictResponse } from './verdicts/verdict.ts';
export type { ObservationRule, Rule, RuleMatch, RuleSeverity, RuleThresholds } from './rules/rule.ts';
