export { behaviourFault, behaviours, isAtLeast, newestBehaviour, type Behaviour } from './behaviour.ts';
export { step, replay } from './step.ts';
export { createSession } from './session.ts';
export type { Governor, Refusal, Session, SessionOptions } from './session.ts';
export { defaultSettings } from './settings.ts';
export type { GovernorSettings, Settings } from './settings.ts';
export { conversationOf, isTerminal, taken, unpaused } from './status.ts';
export type { Taken } from './status.ts';
export { durableView } from './durable.ts';
export { notify } from './observe.ts';
export { transitionRecords } from './transition-record.ts';
export type { TransitionRecord } from './transition-record.ts';
export type { Observers } from './observe.ts';
export { findProfile, profiles } from './profiles/profiles.ts';
export { ProfileError } from './profiles/profile-error.ts';
export type { ProfilePath } from './profiles/profile-error.ts';
export { readProfile } from './profiles/read-profile.ts';
export type { Profile } from './profiles/profiles.ts';

export { eventTypes, isEphemeral, usageOf } from './event.ts';
export { plainEvents } from './plain-events.ts';
export type {
  Event,
  EventType,
  ModelError,
  ModelErrorKind,
  PagingFinished,
  RecoveryOutcome,
  RequestedCall,
  Summaries,
  ToolFinished,
  Usage,
} from './event.ts';
export type { Action, ActionType, CompletedTool } from './action.ts';
export type { Note } from './note.ts';
export type { Json } from './json.ts';

export type { Chart, ChartMove, ChartState } from './charts/chart.ts';
export { toMermaid } from './charts/to-mermaid.ts';
export { toSvg } from './charts/to-svg.ts';
export { toXState } from './charts/to-xstate.ts';
export type { XStateConfig } from './charts/to-xstate.ts';
export { turnChart } from './turn/chart.ts';
export { pendingActions } from './turn/pending.ts';
export type { Step } from './turn/move.ts';
export type {
  Agenda,
  Ask,
  Execution,
  Finish,
  HaltReason,
  Held,
  HookWork,
  PagingWork,
  PermissionCall,
  Turn,
  TurnStatus,
} from './turn/state.ts';

export {
  append,
  appendAll,
  emptyConversation,
  items,
  lastItem,
  toArray,
} from './conversation/conversation.ts';
export type { Conversation } from './conversation/conversation.ts';
export type {
  AssistantMessage,
  Call,
  Message,
  Outcome,
  ToolError,
  ToolErrorKind,
  ToolMessage,
  UserMessage,
} from './conversation/message.ts';

export type { Response, Verdict } from './governor/verdict.ts';
export { pastPhaseLine, phaseLine } from './phases/lines.ts';
export { nextPhase, phaseProblem, phasesMax } from './phases/next.ts';
export type { CompletedPhase, CurrentPhase, PastPhase, Phase, Phases } from './phases/phase.ts';
export { phaseProgress, phaseTotals } from './phases/progress.ts';
export type { PhaseProgress, PhaseTotals } from './phases/progress.ts';
export type { PhaseWork } from './phases/work.ts';

export { audit } from './governor/audit.ts';
export type { AuditLevel, AuditVerdict } from './governor/audit.ts';
export { ChantWatch, findChant } from './governor/chant.ts';
export type { Chant } from './governor/chant.ts';
export type { Change, FileEffect } from './governor/change.ts';
export { counts, observe } from './governor/observation.ts';
export type { CallFacts, Observation } from './governor/observation.ts';
export { pawlRecoveries } from './governor/recovery.ts';
export type { Recovery, Remedy } from './governor/recovery.ts';
export type { Level, Rule, RuleOn, Sight, Thresholds } from './governor/rule.ts';
export { rulesFor } from './governor/rulebook.ts';
export type {
  Chanted,
  FailedDecision,
  OverdueMode,
  PagingSeen,
  Sighting,
  SightingKind,
  SightingOf,
  Wait,
} from './governor/sighting.ts';
export { likeness, talk } from './governor/talk.ts';
export type { Talk } from './governor/talk.ts';
export { pawlRules } from './governor/rules/pawl.ts';
export type { Budgets, Spent } from './governor/budget.ts';
export { summarise } from './governor/summarise.ts';
export { distances, heardUser, unwatched, watch } from './governor/watch.ts';
export type { Distance, Finding, Watch, Windows } from './governor/watch.ts';
export { detect, traceFormats } from './traces/detect.ts';
export { parseTrace, unknownFormat } from './traces/parse-trace.ts';
export type { RecordedRun, RecordedStep } from './traces/recorded-run.ts';
export type { ParsedTrace, TraceFormat, TraceProblem } from './traces/trace-format.ts';

export { ChartError } from './modes/chart-error.ts';
export type { ChartPath } from './modes/chart-error.ts';
export { defineChart, readChart } from './modes/define-chart.ts';
export type { ModeChartInput, ModeStateInput } from './modes/chart-input.ts';
export type { Hops, ModeChart, ModeState } from './modes/mode-chart.ts';
export { resumeMode, startMode } from './modes/mode.ts';
export type { Mode, ModeMove } from './modes/mode.ts';
export type { Happening, ModeFact } from './modes/happening.ts';
export { hop } from './modes/hop.ts';
export type { Hop } from './modes/place.ts';
export { allowedTools, isTerminalMode, nextStates, offeredTools } from './modes/allowed.ts';
export { overdue, timeLimitMs } from './modes/overdue.ts';
export type { Overdue } from './modes/overdue.ts';
export { modeSection, withModePrompt } from './modes/mode-prompt.ts';
export type { ModeView } from './modes/mode-prompt.ts';
export type { SectionForm } from './modes/state-section.ts';
export { bestNext, transitionStats } from './modes/transition-stats.ts';
export type { RecordedMoves, TransitionStats } from './modes/transition-stats.ts';
export { chartOf } from './modes/draw-modes.ts';
export { findModeChart, modeCharts } from './modes/charts/built-in.ts';
export { lkj1Chart, lkjChart } from './modes/charts/lkj.ts';
export type { Lkj1State, LkjOptions, LkjState } from './modes/charts/lkj.ts';
export { savantChart } from './modes/charts/savant.ts';
export type { SavantOptions } from './modes/charts/savant.ts';

export { createTracker, restoreTracker } from './trackers/create-tracker.ts';
export type { TrackerOptions } from './trackers/create-tracker.ts';
export { Tracker } from './trackers/tracker.ts';
export type { RecordedCall, TrackerCallbacks, TrackerHost, TrackerResult } from './trackers/tracker.ts';
export { auditWith } from './trackers/audit-with.ts';
export type { SessionTracker } from './trackers/in-session.ts';
export { seedPresets } from './trackers/presets.ts';
export type { SeedPreset } from './trackers/presets.ts';
export { startTracking, track, verdictsOf } from './trackers/track.ts';
export type { Tracked, TrackerSignal, TrackerStart, TrackerState } from './trackers/track.ts';
export { trackerPresets } from './trackers/presets.ts';
export type { StateOf, TrackerConfig, TrackerPreset } from './trackers/presets.ts';
export type { CallOutcome, ToolCall, TrackerRecord } from './trackers/record.ts';
export type { StuckReport, TrackerVerdict } from './trackers/verdict.ts';
export type { ProgressStats, TotalProgress } from './trackers/progress.ts';
export type { TrackerTransition } from './trackers/machine.ts';
export type { CompletedTrackedPhase, TrackedPhase, TrackedPhases } from './trackers/phases.ts';
export type { TrackerSnapshot } from './trackers/snapshot.ts';
export type { TrackerSummary } from './trackers/summary.ts';
export type { TrackerEnding } from './trackers/ending.ts';
export type { NexoraState } from './trackers/nexora/states.ts';
export type { SavantState } from './trackers/savant/states.ts';

export { memoryActions, memoryActionTypes, readMemoryAction } from './memory/action.ts';
export type { MemoryAction, MemoryActionType, ReadAction } from './memory/action.ts';
export { admit } from './memory/admit.ts';
export type { Admitted } from './memory/admit.ts';
export { compact } from './memory/compact.ts';
export type { Compacted, CompactOptions } from './memory/compact.ts';
export { dumpMemory } from './memory/describe.ts';
export { correct, estimate, estimateTokens, freshEstimator } from './memory/estimate.ts';
export type { Estimator } from './memory/estimate.ts';
export { readLkjConfig } from './memory/lkj/config.ts';
export type { LkjConfig } from './memory/lkj/config.ts';
export type { LkjPrompts } from './memory/lkj/prompts.ts';
export { readMemoryDocument } from './memory/lkj/read-document.ts';
export type { LkjMemory, ReadDocument, ReadDocumentOptions } from './memory/lkj/read-document.ts';
export type { LkjProfile } from './memory/lkj/states.ts';
export { memoryDocument } from './memory/lkj/write-document.ts';
export { log, logEntries } from './memory/logs.ts';
export {
  emptyMemory,
  entriesOf,
  findEntry,
  lkjTokens,
  mustPage,
  needsPaging,
  put,
  tokensOf,
  workingObject,
} from './memory/memory.ts';
export type { Entry, EntryKind, Memory, Put } from './memory/memory.ts';
export { page } from './memory/page.ts';
export type { Moved, Paged, PagingOptions } from './memory/page.ts';
export { answer, loaded, remember, searched } from './memory/remember.ts';
export type { Remembered } from './memory/remember.ts';
export { logNames, memorySettings } from './memory/settings.ts';
export type { LogName, LogSettings, MemoryProfile, MemorySettings, TokenLimit } from './memory/settings.ts';
export type {
  MemoryEffect,
  StorageLoad,
  StorageSave,
  StorageSearch,
  StoredEntry,
} from './memory/storage-entry.ts';
export { keyOf, normalTags, tagsOf } from './memory/tags.ts';
export type { ModelWindow } from './memory/window.ts';
export type { Tags } from './memory/tags.ts';
export { memoryActionOf, pagingLimitOf } from './memory/memorise.ts';
export { halveConversation } from './memory/halve.ts';
export { memoryWishes } from './memory/wish.ts';
export type { MemoryWish } from './memory/wish.ts';
