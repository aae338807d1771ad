export { assignCallIds } from './call-ids.ts';
export type { RequestedCall, ToolCall } from './call-ids.ts';
export { computeRuleDistances, initialDetectorState, resetDetector, runDetector } from './detector.ts';
export type { DetectorState, GradedMatch, ObservationWindows, RuleDistance } from './detector.ts';
export { defaultMaxRecoveries } from './governor-settings.ts';
export type { GovernorSettings } from './governor-settings.ts';
export type { Json, JsonObject } from './json.ts';
export { initialLadder, judgeObservation, screenCalls } from './ladder.ts';
export type { BlockedCall, LadderState } from './ladder.ts';
export {
  formatToolOutput,
  observeCall,
  type CallFacts,
  type CallObservation,
  type FileContentChange,
  type FileEffect,
} from './observations/call-observation.ts';
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
export { RepetitionDetector, findRepetitionLoop } from './observations/repetition-loop.ts';
export type { RepetitionLoop } from './observations/repetition-loop.ts';
export { computeSimilarity, observeText } from './observations/text-observation.ts';
export type { TextObservation } from './observations/text-observation.ts';
export {
  findRecovery,
  pawlRecoveries,
  type ErrorRemedy,
  type KnownRecovery,
  type Verdict,
  type VerdictResponse,
} from './verdict.ts';
export type { ObservationRule, Rule, RuleMatch, RuleSeverity, RuleThresholds } from './rules/rule.ts';
