export { auditRun } from './audit.ts';
export {
  renameKeys,
  upgradeEach,
  upgradeGovernorSettings,
  upgradeLadder,
  upgradeProperty,
  upgradeRecovery,
  upgradeRequestedCall,
  upgradeRuleChanges,
  upgradeRuleId,
  upgradeTrackerState,
  upgradeVerdict,
  type StoredObject,
} from './upgrade.ts';
export type { AuditVerdict } from './audit.ts';
export { assignCallIds } from './call-ids.ts';
export type { RequestedCall, ToolCall } from './call-ids.ts';
export {
  createBooleanField,
  createChoiceField,
  createIntegerField,
  dayMilliseconds,
  isPlainObject,
} from './config-field.ts';
export type { ConfigField } from './config-field.ts';
export { computeRuleDistances, initialDetectorState, resetDetector, runDetector } from './detector.ts';
export type { DetectorState, GradedMatch, ObservationWindows, RuleDistance } from './detector.ts';
export { defaultMaxRecoveries } from './governor-settings.ts';
export type { GovernorSettings } from './governor-settings.ts';
export { getJsonPath, isJsonObject, toOptionalCount, toOptionalList, toOptionalNumber } from './json.ts';
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
export { pawlRules } from './rules/pawl-rules.ts';
export type { ObservationRule, Rule, RuleMatch, RuleSeverity, RuleThresholds } from './rules/rule.ts';
export { selectRules } from './rules/select-rules.ts';
export { describeUnknownFormat, detectTraceFormat, parseTrace, traceFormats } from './traces/parse-trace.ts';
export type {
  ParsedTrace,
  RecordedRun,
  RecordedStep,
  TraceFormat,
  TraceProblem,
} from './traces/trace-format.ts';
export { auditWithPreset } from './tracker/audit-with-preset.ts';
export { LoopTracker, createTracker, restoreTracker } from './tracker/loop-tracker.ts';
export type {
  RecordedCall,
  TrackerCallbacks,
  TrackerHost,
  TrackerOptions,
  TrackerResult,
} from './tracker/loop-tracker.ts';
export type { NexoraState } from './tracker/nexora.ts';
export type {
  CompletedPhase,
  CompletedTrackedPhase,
  Phase,
  TrackedPhase,
  TrackedPhases,
} from './tracker/phases.ts';
export { seedPresets, trackerPresets } from './tracker/presets.ts';
export type { PresetState, SeedPreset, TrackerConfig, TrackerPreset } from './tracker/presets.ts';
export type { ProgressStats, TotalProgress, TrackerEnding, TrackerSummary } from './tracker/report.ts';
export { listSavantSuccessors, savantStates, savantTools } from './tracker/savant.ts';
export type { SavantState } from './tracker/savant.ts';
export {
  createSessionTracker,
  recordCallOutcome,
  recordDecisionFailure,
  recordInSession,
  restartOnUserMessage,
  trackReply,
} from './tracker/session-tracker.ts';
export type { SessionTracker, TrackerReport } from './tracker/session-tracker.ts';
export type { TrackerSnapshot } from './tracker/snapshot.ts';
export { renderStateSection } from './tracker/state-section.ts';
export type { SectionFormat } from './tracker/state-section.ts';
export { listTrackerVerdicts, startTracking, trackRecord } from './tracker/track-record.ts';
export type { TrackerSignal, TrackerState, TrackingOptions, TrackingResult } from './tracker/track-record.ts';
export { appendRecent, computeStateDuration, describeRefusedTransition } from './tracker/tracker-machine.ts';
export type { TrackerTransition } from './tracker/tracker-machine.ts';
export type { CallOutcome, TrackerCall, TrackerRecord } from './tracker/tracker-record.ts';
export type { StuckReport, TrackerJudgment, TrackerVerdict } from './tracker/tracker-verdict.ts';
export type { Verdict, VerdictResponse } from './verdict.ts';
