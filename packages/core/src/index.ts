export {
  findLogVersionProblem,
  logPatches,
  hasLogPatch,
  latestLogVersion,
  type LogPatch,
} from './log-version.ts';
export { step, replay } from './step.ts';
export { createSession } from './session.ts';
export type { GovernorState, BlockedCall, Session, SessionOptions } from './session.ts';
export { defaultSettings } from './settings.ts';
export type { GovernorSettings, SessionSettings } from './settings.ts';
export { getConversation, isTerminalSession, getStepOutcome, getUnpausedTurn } from './session-status.ts';
export type { StepOutcome } from './session-status.ts';
export { toDurableSession } from './durable-session.ts';
export { notifyObservers } from './notify-observers.ts';
export { toTransitionRecords } from './transition-record.ts';
export type { TransitionRecord } from './transition-record.ts';
export type { StepObservers } from './notify-observers.ts';
export { findProfile, builtInProfiles } from './profiles/profiles.ts';
export { ProfileError } from './profiles/profile-error.ts';
export type { ProfilePath } from './profiles/profile-error.ts';
export { parseProfile } from './profiles/parse-profile.ts';
export type { Profile } from './profiles/profiles.ts';

export { eventTypes, isEphemeralEvent, getEventUsage } from './event.ts';
export { createEventNormalizer } from './event-normalizer.ts';
export type {
  Event,
  EventOfType,
  EventType,
  ModelError,
  ModelErrorKind,
  PagingFinished,
  RecoveryOutcome,
  RequestedCall,
  PagingSummaries,
  ToolFinished,
  TokenUsage,
} from './event.ts';
export type { Action, ActionType, CompletedTool } from './action.ts';
export type { Note } from './note.ts';
export type { Json, JsonObject } from './json.ts';

export type { Chart, ChartMove, ChartState } from './charts/chart.ts';
export { toMermaid } from './charts/to-mermaid.ts';
export { toSvg } from './charts/to-svg.ts';
export { toXState } from './charts/to-xstate.ts';
export type { XStateConfig } from './charts/to-xstate.ts';
export { turnChart } from './turn/chart.ts';
export { listPendingActions } from './turn/pending-actions.ts';
export type { SessionStep } from './turn/transition-turn.ts';
export type {
  TurnAgenda,
  ModelCallIntent,
  CallExecution,
  FinishRequest,
  HaltReason,
  PausableTurn,
  HookWork,
  PagingWork,
  PermissionCall,
  TurnState,
  TurnStatus,
} from './turn/state.ts';

export {
  appendItem,
  appendItems,
  emptyConversation,
  iterateItems,
  getLastItem,
  toItemArray,
} from './conversation/conversation.ts';
export type { ConversationHistory } from './conversation/conversation.ts';
export type {
  AssistantMessage,
  ToolCall,
  ConversationMessage,
  ToolOutcome,
  ToolError,
  ToolErrorKind,
  ToolMessage,
  UserMessage,
} from './conversation/message.ts';

export type { VerdictResponse, Verdict } from './governor/verdict.ts';
export { formatPastPhaseLine, formatPhaseLine } from './phases/format-phase.ts';
export { getNextPhaseNumber, findPhaseProblem, defaultPhasesMax } from './phases/next-phase.ts';
export type { CompletedPhase, CurrentPhase, PastPhase, Phase, PhaseState } from './phases/phase.ts';
export { computePhaseProgress, computePhaseTotals } from './phases/progress.ts';
export type { PhaseProgress, PhaseTotals } from './phases/progress.ts';
export type { PhaseWork } from './phases/phase-work.ts';

export { auditRun } from './governor/audit.ts';
export type { AuditSeverity, AuditVerdict } from './governor/audit.ts';
export { RepetitionDetector, findRepetitionLoop } from './governor/repetition-loop.ts';
export type { RepetitionLoop } from './governor/repetition-loop.ts';
export type { FileContentChange, FileEffect } from './governor/file-change.ts';
export { isJudgedOutcome, observeCall } from './governor/call-observation.ts';
export type { CallFacts, CallObservation } from './governor/call-observation.ts';
export { pawlRecoveries } from './governor/recovery.ts';
export type { KnownRecovery, ErrorRemedy } from './governor/recovery.ts';
export type { RuleSeverity, Rule, ObservationRule, RuleMatch, RuleThresholds } from './governor/rule.ts';
export { selectRules } from './governor/select-rules.ts';
export type {
  RepetitionObservation,
  FailedDecisionObservation,
  OverdueModeObservation,
  PagingObservation,
  GovernorObservation,
  ObservationKind,
  ObservationByKind,
  WaitObservation,
} from './governor/governor-observation.ts';
export { computeSimilarity, observeText } from './governor/text-observation.ts';
export type { TextObservation } from './governor/text-observation.ts';
export { pawlRules } from './governor/rules/pawl-rules.ts';
export type { BudgetLimits, BudgetUsage } from './governor/budget.ts';
export { summarizeTurn } from './governor/summarize-turn.ts';
export {
  computeRuleDistances,
  resetDetector,
  initialDetectorState,
  runDetector,
} from './governor/detector.ts';
export type { RuleDistance, GradedMatch, DetectorState, ObservationWindows } from './governor/detector.ts';
export { detectTraceFormat, traceFormats } from './traces/detect-trace-format.ts';
export { parseTrace, describeUnknownFormat } from './traces/parse-trace.ts';
export type { RecordedRun, RecordedStep } from './traces/recorded-run.ts';
export type { ParsedTrace, TraceFormat, TraceProblem } from './traces/trace-format.ts';

export { ChartError } from './modes/chart-error.ts';
export type { ChartPath } from './modes/chart-error.ts';
export { defineChart, parseChart } from './modes/define-chart.ts';
export type { ModeChartInput, ModeStateInput } from './modes/chart-input.ts';
export type { TransitionPolicy, ModeChart, ModeState } from './modes/mode-chart.ts';
export { resumeMode, startMode } from './modes/mode.ts';
export type { CurrentMode, ModeChange } from './modes/mode.ts';
export type { ModeEvent, ModeEventPayload } from './modes/mode-event.ts';
export { transitionMode } from './modes/transition-mode.ts';
export type { ModeTransition } from './modes/mode-context.ts';
export { listAllowedTools, isTerminalMode, listNextStates, listOfferedTools } from './modes/mode-tools.ts';
export { findReachedModeLimit, getModeTimeLimit } from './modes/mode-limits.ts';
export type { ReachedModeLimit } from './modes/mode-limits.ts';
export { renderModeSection, appendModePrompt } from './modes/mode-prompt.ts';
export type { ModePromptOptions } from './modes/mode-prompt.ts';
export type { SectionFormat } from './modes/state-section.ts';
export { findBestTransition, computeTransitionStats } from './modes/transition-stats.ts';
export type { RecordedModeChanges, TransitionStats } from './modes/transition-stats.ts';
export { toDrawableChart } from './modes/draw-modes.ts';
export { findModeChart, modeCharts } from './modes/charts/built-in.ts';
export { createLkj1Chart, createLkjChart } from './modes/charts/lkj.ts';
export type { Lkj1State, LkjOptions, LkjState } from './modes/charts/lkj.ts';
export { createSavantChart } from './modes/charts/savant.ts';
export type { SavantOptions } from './modes/charts/savant.ts';

export { createTracker, restoreTracker } from './trackers/create-tracker.ts';
export type { TrackerOptions } from './trackers/create-tracker.ts';
export { LoopTracker } from './trackers/loop-tracker.ts';
export type { RecordedCall, TrackerCallbacks, TrackerHost, TrackerResult } from './trackers/loop-tracker.ts';
export { auditWithPreset } from './trackers/audit-with-preset.ts';
export type { SessionTracker } from './trackers/session-tracker.ts';
export { seedPresets } from './trackers/presets.ts';
export type { SeedPreset } from './trackers/presets.ts';
export { startTracking, trackRecord, listTrackerVerdicts } from './trackers/track-record.ts';
export type {
  TrackingResult,
  TrackerSignal,
  TrackingOptions,
  TrackerState,
} from './trackers/track-record.ts';
export { trackerPresets } from './trackers/presets.ts';
export type { PresetState, TrackerConfig, TrackerPreset } from './trackers/presets.ts';
export type { CallOutcome, TrackerCall, TrackerRecord } from './trackers/tracker-record.ts';
export type { StuckReport, TrackerVerdict } from './trackers/tracker-verdict.ts';
export type { ProgressStats, TotalProgress } from './trackers/progress.ts';
export type { TrackerTransition } from './trackers/tracker-machine.ts';
export type { CompletedTrackedPhase, TrackedPhase, TrackedPhases } from './trackers/phases.ts';
export type { TrackerSnapshot } from './trackers/snapshot.ts';
export type { TrackerSummary } from './trackers/summary.ts';
export type { TrackerEnding } from './trackers/ending.ts';
export type { NexoraState } from './trackers/nexora/states.ts';
export type { SavantState } from './trackers/savant/states.ts';

export { memoryActions, memoryActionTypes, parseMemoryAction } from './memory/memory-action.ts';
export type { MemoryAction, MemoryActionType, ParsedMemoryAction } from './memory/memory-action.ts';
export { admitEntry } from './memory/admit-entry.ts';
export type { AdmissionResult } from './memory/admit-entry.ts';
export { compactMessages } from './memory/compact-messages.ts';
export type { MessageCompaction, MessageCompactionOptions } from './memory/compact-messages.ts';
export { dumpMemory } from './memory/describe-memory.ts';
export {
  calibrateEstimator,
  estimateCalibratedTokens,
  estimateTokens,
  initialEstimator,
} from './memory/estimate-tokens.ts';
export type { TokenEstimator } from './memory/estimate-tokens.ts';
export { parseLkjConfig } from './memory/lkj/config.ts';
export type { LkjConfig } from './memory/lkj/config.ts';
export type { LkjPrompts } from './memory/lkj/prompts.ts';
export { parseMemoryDocument } from './memory/lkj/parse-document.ts';
export type { LkjMemory, ParsedMemoryDocument, MemoryDocumentOptions } from './memory/lkj/parse-document.ts';
export type { LkjProfile } from './memory/lkj/states.ts';
export { formatMemoryDocument } from './memory/lkj/format-document.ts';
export { writeLog, listLogEntries } from './memory/logs.ts';
export {
  createMemory,
  listEntries,
  findEntry,
  countLkjTokens,
  isPagingRequired,
  isPagingDue,
  putEntry,
  countMemoryTokens,
  toMemoryObject,
} from './memory/memory.ts';
export type { MemoryEntry, EntryKind, WorkingMemory, EntryInput } from './memory/memory.ts';
export { pageEntries } from './memory/page-entries.ts';
export type { MovedEntry, PagingResult, PagingOptions } from './memory/page-entries.ts';
export {
  applyStorageResult,
  applyLoadResult,
  applyMemoryAction,
  applySearchResult,
} from './memory/apply-memory-action.ts';
export type { MemoryActionOutcome } from './memory/apply-memory-action.ts';
export { logNames, memorySettings } from './memory/settings.ts';
export type {
  MemoryLogName,
  LogSettings,
  MemoryProfile,
  MemorySettings,
  TokenLimit,
} from './memory/settings.ts';
export type {
  MemoryEffect,
  StorageLoad,
  StorageSave,
  StorageSearch,
  StoredEntry,
} from './memory/stored-entry.ts';
export { toTagKey, normalizeTags, parseTagKey } from './memory/tags.ts';
export type { ContextWindow } from './memory/context-window.ts';
export type { NormalizedTags } from './memory/tags.ts';
export { toMemoryAction, getPagingLimit } from './memory/reduce-memory.ts';
export { halveConversation } from './memory/halve-conversation.ts';
export { memoryCommands } from './memory/memory-command.ts';
export type { MemoryCommand } from './memory/memory-command.ts';
