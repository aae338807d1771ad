import type { Rule } from '../rules/rule.ts';
import { getChangedFile, emptyLedger, findEndedCall, updateLedger, type TrackerLedger } from './ledger.ts';
import type { TrackerTransition } from './tracker-machine.ts';
import { listNexoraVerdicts, nexoraReducers } from './nexora.ts';
import { listPawlVerdicts, pawlReducers } from './pawl.ts';
import {
  completeTrackedPhase,
  createTrackedPhases,
  findTrackedPhaseProblem,
  startTrackedPhase,
  addPhaseBlocker,
  addPhaseFile,
  addPhaseTest,
  type TrackedPhases,
} from './phases.ts';
import { createDetector, type TrackerDetectorState, type TrackerPreset } from './presets.ts';
import {
  type EndedCall,
  type TrackerRecord,
  applyReducer,
  type RecordContext,
  type RecordOutcome,
} from './tracker-record.ts';
import { listSavantVerdicts, savantReducers } from './savant.ts';
import type { TrackerVerdict } from './tracker-verdict.ts';

/** The complete state of a tracker: plain JSON, bounded, and a function of the records alone. */
export type TrackerState = {
  readonly preset: TrackerPreset;
  readonly startedAt: number;
  readonly detector: TrackerDetectorState;
  readonly ledger: TrackerLedger;
  readonly phases: TrackedPhases;
  /** Loops that were reported and still hold, so that they are not reported again. */
  readonly reportedLoops: readonly string[];
};

/** A signal for observers. */
export type TrackerSignal =
  | { readonly type: 'state-changed'; readonly transition: TrackerTransition }
  | { readonly type: 'found'; readonly verdict: TrackerVerdict }
  | { readonly type: 'progress' };

export type TrackingResult = {
  readonly state: TrackerState;
  /** Why the record was refused, or null. */
  readonly error: string | null;
  readonly signals: readonly TrackerSignal[];
};

export type TrackingOptions = {
  readonly preset: TrackerPreset;
  readonly at: number;
  readonly config?: object | undefined;
  readonly totalPhases?: number | undefined;
};

/** Creates the initial state for `trackRecord`; throws a TypeError for an invalid configuration. */
export function startTracking({ preset, at, config = {}, totalPhases }: TrackingOptions): TrackerState {
  const detector = createDetector(preset, config, at);
  const phases = createTrackedPhases(totalPhases ?? null);
  return { preset, startedAt: at, detector, ledger: emptyLedger, phases, reportedLoops: [] };
}

/**
 * Applies one record. Pure: the same records always give the same state, and it never throws. `ownRules` are judged
 * after those of the pawl preset; other presets ignore them.
 */
export function trackRecord(
  state: TrackerState,
  record: TrackerRecord,
  ownRules: readonly Rule[] = emptyRules,
): TrackingResult {
  const ended = record.type === 'call-ended' ? findEndedCall(state.ledger, record) : null;
  const refusal = findRecordProblem(state, record, ended);
  if (refusal !== null) return { state, error: refusal, signals: [] };
  const { detector, error } = reduceRecord(state, record, { ledger: state.ledger, ended, ownRules });
  // A refused call has still been made; a refused transition or phase has not happened.
  const isDone = error === null || record.type === 'call-made';
  const { readTools } = detector.config;
  const after = {
    ...state,
    detector,
    ledger: isDone ? updateLedger(state.ledger, record, readTools) : state.ledger,
    phases: isDone ? updateTrackedPhases(state.phases, record, { ended, readTools }) : state.phases,
  };
  return createTrackingResult(state, after, { error, at: record.at });
}

const emptyRules: readonly Rule[] = [];

/** Returns the verdicts that hold at a given time, most severe first. */
export function listTrackerVerdicts(detector: TrackerDetectorState, at: number): readonly TrackerVerdict[] {
  switch (detector.kind) {
    case 'pawl':
      return listPawlVerdicts(detector);
    case 'nexora':
      return listNexoraVerdicts(detector);
    case 'savant':
      return listSavantVerdicts(detector, at);
    default:
      return detector satisfies never;
  }
}

function findRecordProblem(
  { phases }: TrackerState,
  record: TrackerRecord,
  ended: EndedCall | null,
): string | null {
  if (record.type === 'phase-started' || record.type === 'phase-completed')
    return findTrackedPhaseProblem(phases, record);
  if (record.type === 'call-ended' && ended === null) return `no call ${record.seq} is under way`;
  return null;
}

function reduceRecord(
  { detector }: TrackerState,
  record: TrackerRecord,
  known: RecordContext,
): RecordOutcome<TrackerDetectorState> {
  switch (detector.kind) {
    case 'pawl':
      return applyReducer(pawlReducers, detector, record, known);
    case 'nexora':
      return applyReducer(nexoraReducers, detector, record, known);
    case 'savant':
      return applyReducer(savantReducers, detector, record, known);
    default:
      return detector satisfies never;
  }
}

function updateTrackedPhases(
  phases: TrackedPhases,
  record: TrackerRecord,
  { ended, readTools }: { readonly ended: EndedCall | null; readonly readTools: readonly string[] },
): TrackedPhases {
  const file = ended === null ? null : getChangedFile(ended, readTools);
  if (file !== null) return addPhaseFile(phases, file);
  if (record.type === 'phase-started') return startTrackedPhase(phases, record);
  if (record.type === 'phase-completed') return completeTrackedPhase(phases, record.success, record.at);
  if (record.type === 'file-changed') return addPhaseFile(phases, record.file);
  if (record.type === 'test-ran') return addPhaseTest(phases, record.passed);
  return record.type === 'blocker-met' ? addPhaseBlocker(phases, record.description) : phases;
}

function createTrackingResult(
  before: TrackerState,
  after: TrackerState,
  { error, at }: { readonly error: string | null; readonly at: number },
): TrackingResult {
  const verdicts = listTrackerVerdicts(after.detector, at);
  const loops = verdicts.map(({ loop }) => loop);
  const signals: readonly TrackerSignal[] = [
    ...listNewTransitions(before, after).map((transition) => ({
      type: 'state-changed' as const,
      transition,
    })),
    ...verdicts
      .filter(({ loop }) => !before.reportedLoops.includes(loop))
      .map((verdict) => ({ type: 'found' as const, verdict })),
    ...(isProgressDue(before, after) ? [{ type: 'progress' as const }] : []),
  ];
  return { state: { ...after, reportedLoops: loops }, error, signals };
}

function listNewTransitions(before: TrackerState, after: TrackerState): readonly TrackerTransition[] {
  const count = after.detector.machine.transitions - before.detector.machine.transitions;
  return count === 0 ? [] : after.detector.machine.history.slice(-count);
}

function isProgressDue(before: TrackerState, { ledger, detector }: TrackerState): boolean {
  if (ledger.callsEnded === before.ledger.callsEnded) return false;
  return ledger.callsEnded % detector.config.progressCallbackInterval === 0;
}
