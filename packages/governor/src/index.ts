export { assignCallIds } from './call-ids.ts';
export type { RequestedCall, ToolCall } from './call-ids.ts';
export { computeRuleDistances, initialDetectorState, resetDetector, runDetector } from './detector.ts';
export type { DetectorState, GradedMatch, ObservationWindows, RuleDistance } from './detector.ts';
export { defaultMaxRecoveries } from './governor-settings.ts';
export type { GovernorSettings } from './governor-settings.ts';
export type { Json, JsonObject } from './json.ts';
export { initialLadder, judgeObservation, screenCalls } from './ladder.ts';
export type { BlockedCall, LadderState } from './ladder.ts';
export { formatToolOutput, observeCall } from './observations/call-observation.ts';
export type { CallFacts, CallObservation } from './observations/call-observation.ts';
export type { FileContentChange, FileEffect } from './observations/file-change.ts';
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
export { findRecovery, pawlRecoveries } from './recovery.ts';
export type { ErrorRemedy, KnownRecovery } from './recovery.ts';
export type { ObservationRule, Rule, RuleMatch, RuleSeverity, RuleThresholds } from './rules/rule.ts';
export type { Verdict, VerdictResponse } from './verdict.ts';
