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
  readonly mind: TrackerDetectorState;
  readonly ledger: TrackerLedger;
  readonly phases: TrackedPhases;
  /** Loops that were reported and still hold, so that they are not reported again. */
  readonly raised: readonly string[];
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
  const mind = createDetector(preset, config, at);
  const phases = createTrackedPhases(totalPhases ?? null);
  return { preset, startedAt: at, mind, ledger: emptyLedger, phases, raised: [] };
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
  const { mind, error } = reduceRecord(state, record, { ledger: state.ledger, ended, ownRules });
  // A refused call has still been made; a refused transition or phase has not happened.
  const isDone = error === null || record.type === 'call-made';
  const { readTools } = mind.config;
  const after = {
    ...state,
    mind,
    ledger: isDone ? updateLedger(state.ledger, record, readTools) : state.ledger,
    phases: isDone ? updateTrackedPhases(state.phases, record, { ended, readTools }) : state.phases,
  };
  return createTrackingResult(state, after, { error, at: record.at });
}

const emptyRules: readonly Rule[] = [];

/** Returns the verdicts that hold at a given time, most severe first. */
export function listTrackerVerdicts(mind: TrackerDetectorState, at: number): readonly TrackerVerdict[] {
  switch (mind.kind) {
    case 'pawl':
      return listPawlVerdicts(mind);
    case 'nexora':
      return listNexoraVerdicts(mind);
    case 'savant':
      return listSavantVerdicts(mind, at);
    default:
      return mind satisfies never;
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
  { mind }: TrackerState,
  record: TrackerRecord,
  known: RecordContext,
): RecordOutcome<TrackerDetectorState> {
  switch (mind.kind) {
    case 'pawl':
      return applyReducer(pawlReducers, mind, record, known);
    case 'nexora':
      return applyReducer(nexoraReducers, mind, record, known);
    case 'savant':
      return applyReducer(savantReducers, mind, record, known);
    default:
      return mind satisfies never;
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
  const verdicts = listTrackerVerdicts(after.mind, at);
  const loops = verdicts.map(({ loop }) => loop);
  const signals: readonly TrackerSignal[] = [
    ...listNewTransitions(before, after).map((transition) => ({
      type: 'state-changed' as const,
      transition,
    })),
    ...verdicts
      .filter(({ loop }) => !before.raised.includes(loop))
      .map((verdict) => ({ type: 'found' as const, verdict })),
    ...(isProgressDue(before, after) ? [{ type: 'progress' as const }] : []),
  ];
  return { state: { ...after, raised: loops }, error, signals };
}

function listNewTransitions(before: TrackerState, after: TrackerState): readonly TrackerTransition[] {
  const count = after.mind.machine.moves - before.mind.machine.moves;
  return count === 0 ? [] : after.mind.machine.history.slice(-count);
}

function isProgressDue(before: TrackerState, { ledger, mind }: TrackerState): boolean {
  if (ledger.callsEnded === before.ledger.callsEnded) return false;
  return ledger.callsEnded % mind.config.progressCallbackInterval === 0;
}
