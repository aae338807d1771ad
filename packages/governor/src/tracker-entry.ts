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
export type { SavantState } from './tracker/savant.ts';
export type { TrackerSnapshot } from './tracker/snapshot.ts';
export type { SectionFormat } from './tracker/state-section.ts';
export { listTrackerVerdicts, startTracking, trackRecord } from './tracker/track-record.ts';
export type { TrackerSignal, TrackerState, TrackingOptions, TrackingResult } from './tracker/track-record.ts';
export type { TrackerTransition } from './tracker/tracker-machine.ts';
export type { CallOutcome, TrackerCall, TrackerRecord } from './tracker/tracker-record.ts';
export type { StuckReport, TrackerJudgment, TrackerVerdict } from './tracker/tracker-verdict.ts';
