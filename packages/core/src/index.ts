export {
  auditRun,
  type AuditVerdict,
  auditWithPreset,
  type BlockedCall,
  type CallFacts,
  type CallObservation,
  type CallOutcome,
  type CompletedTrackedPhase,
  computeRuleDistances,
  computeSimilarity,
  createTracker,
  describeUnknownFormat,
  type DetectorState,
  detectTraceFormat,
  type ErrorRemedy,
  type FailedDecisionObservation,
  type FileContentChange,
  type FileEffect,
  findRepetitionLoop,
  type GovernorObservation,
  type GovernorSettings,
  type GradedMatch,
  initialDetectorState,
  type Json,
  type JsonObject,
  type KnownRecovery,
  listTrackerVerdicts,
  LoopTracker,
  type NexoraState,
  type ObservationByKind,
  type ObservationKind,
  type ObservationRule,
  type ObservationWindows,
  observeCall,
  observeText,
  type OverdueModeObservation,
  type PagingObservation,
  type ParsedTrace,
  parseTrace,
  pawlRecoveries,
  pawlRules,
  type PresetState,
  type ProgressStats,
  type RecordedCall,
  type RecordedRun,
  type RecordedStep,
  RepetitionDetector,
  type RepetitionLoop,
  type RepetitionObservation,
  resetDetector,
  restoreTracker,
  type Rule,
  type RuleDistance,
  type RuleMatch,
  type RuleSeverity,
  type RuleThresholds,
  runDetector,
  type SavantState,
  type SectionFormat,
  type SeedPreset,
  seedPresets,
  selectRules,
  type SessionTracker,
  startTracking,
  type StuckReport,
  type TextObservation,
  type TotalProgress,
  type TraceFormat,
  traceFormats,
  type TraceProblem,
  type TrackedPhase,
  type TrackedPhases,
  type TrackerCall,
  type TrackerCallbacks,
  type TrackerConfig,
  type TrackerEnding,
  type TrackerHost,
  type TrackerOptions,
  type TrackerPreset,
  trackerPresets,
  type TrackerRecord,
  type TrackerResult,
  type TrackerSignal,
  type TrackerSnapshot,
  type TrackerState,
  type TrackerSummary,
  type TrackerTransition,
  type TrackerVerdict,
  type TrackingOptions,
  type TrackingResult,
  trackRecord,
  type Verdict,
  type VerdictResponse,
  type WaitObservation,
} from '@pawl/governor';
export {
  findLogVersionProblem,
  logPatches,
  hasLogPatch,
  latestLogVersion,
  type LogPatch,
} from './log-version.ts';
export { step, replay } from './step.ts';
export { createSession } from './session.ts';
export type { GovernorState, Session, SessionOptions } from './session.ts';
export { defaultSettings } from './settings.ts';
export type { SessionSettings } from './settings.ts';
export {
  getConversation,
  isTerminalSession,
  getStepOutcome,
  getUnpausedTurn,
  type StepOutcome,
  toDurableSession,
} from './session-status.ts';
export { notifyObservers } from './notify-observers.ts';
export { toTransitionRecords } from './transition-record.ts';
export type { TransitionRecord } from './transition-record.ts';
export type { StepObservers } from './notify-observers.ts';
export { findProfile, builtInProfiles } from './profiles/profiles.ts';
export { ProfileError, type ProfilePath } from './profiles/profile-parser.ts';
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

export type { Chart, ChartMove, ChartState } from './charts/chart.ts';
export { buildChartEdges, listMoveLabels } from './charts/edges.ts';
export type { ChartEdge, LabeledMove } from './charts/edges.ts';
export { listChartStates } from './charts/states.ts';
export { toMermaid } from './charts/to-mermaid.ts';
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
export { isJudgedOutcome } from './conversation/message.ts';
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

export {
  formatPastPhaseLine,
  formatPhaseLine,
  getNextPhaseNumber,
  findPhaseProblem,
  defaultPhasesMax,
  computePhaseProgress,
  computePhaseTotals,
  type PhaseProgress,
  type PhaseTotals,
} from './phases/progress.ts';
export type {
  CompletedPhase,
  CurrentPhase,
  PastPhase,
  Phase,
  PhaseState,
  PhaseWork,
} from './phases/phase.ts';

export type { BudgetLimits, BudgetUsage } from './governor/budget.ts';
export { summarizeTurn } from './governor/summarize-turn.ts';

export {
  ChartError,
  type ChartPath,
  defineChart,
  parseChart,
  type ModeChartInput,
  type ModeStateInput,
} from './modes/define-chart.ts';
export type { TransitionPolicy, ModeChart, ModeState } from './modes/mode-chart.ts';
export {
  resumeMode,
  startMode,
  type CurrentMode,
  type ModeChange,
  findReachedModeLimit,
  getModeTimeLimit,
  type ReachedModeLimit,
} from './modes/mode.ts';
export {
  type ModeEvent,
  type ModeEventPayload,
  transitionMode,
  type ModeTransition,
  listAllowedTools,
  isTerminalMode,
  listNextStates,
  listOfferedTools,
} from './modes/transition-mode.ts';
export { renderModeSection, appendModePrompt } from './modes/mode-prompt.ts';
export type { ModePromptOptions } from './modes/mode-prompt.ts';
export { findBestTransition, computeTransitionStats } from './modes/transition-stats.ts';
export type { RecordedModeChanges, TransitionStats } from './modes/transition-stats.ts';
export { toDrawableChart } from './modes/draw-modes.ts';
export { findModeChart, modeCharts } from './modes/charts/built-in.ts';
export { createLkj1Chart, createLkjChart } from './modes/charts/lkj.ts';
export type { Lkj1State, LkjOptions, LkjState } from './modes/charts/lkj.ts';
export { createSavantChart } from './modes/charts/savant.ts';
export type { SavantOptions } from './modes/charts/savant.ts';

export {
  memoryActions,
  memoryActionTypes,
  parseMemoryAction,
  type MemoryAction,
  type MemoryActionType,
  type ParsedMemoryAction,
  toTagKey,
  normalizeTags,
  parseTagKey,
  type NormalizedTags,
} from './memory/memory-action.ts';
export {
  admitEntry,
  type AdmissionResult,
  applyStorageResult,
  applyLoadResult,
  applyMemoryAction,
  applySearchResult,
  type MemoryActionOutcome,
} from './memory/apply-memory-action.ts';
export {
  compactMessages,
  type MessageCompaction,
  type MessageCompactionOptions,
  halveConversation,
} from './memory/compact-messages.ts';
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
export type { ContextWindow } from './memory/context-window.ts';
export { toMemoryAction, getPagingLimit } from './memory/reduce-memory.ts';
export { memoryCommands } from './memory/memory-command.ts';
export type { MemoryCommand } from './memory/memory-command.ts';

// Projections
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
  listSpokenLines,
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
  findToolAnswer,
  findTurnAnswer,
  isTurnEndingResponse,
  listPendingApprovals,
  restingStatuses,
  updateOutcome,
  type SessionEnding,
  type TurnOutcome,
} from './projections/status.ts';
export {
  addEventTotals,
  countTotalTokens,
  emptyTotals,
  getGoalText,
  type SessionTotals,
} from './projections/totals.ts';
export { isOlderSession, upgradeEvent, upgradeSession, upgradeToolResult } from './upgrade.ts';
