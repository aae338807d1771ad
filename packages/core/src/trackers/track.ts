import type { Rule } from '../governor/rule.ts';
import { changedFile, emptyLedger, endedCall, entered, type Ledger } from './ledger.ts';
import type { TrackerTransition } from './machine.ts';
import { nexoraVerdicts } from './nexora/rules.ts';
import { nexoraTakers } from './nexora/take.ts';
import { pawlVerdicts } from './pawl/mind.ts';
import { pawlTakers } from './pawl/take.ts';
import {
  completed,
  phasesOf,
  refusedPhase,
  started,
  withBlocker,
  withPhaseFile,
  withPhaseTest,
  type TrackedPhases,
} from './phases.ts';
import { mindOf, type TrackerMind, type TrackerPreset } from './presets.ts';
import type { EndedCall, TrackerRecord } from './record.ts';
import { savantVerdicts } from './savant/rules.ts';
import { savantTakers } from './savant/take.ts';
import { takeWith, type Known, type Taken } from './taken.ts';
import type { TrackerVerdict } from './verdict.ts';

/** Everything a tracker knows: plain JSON, bounded, and a function of the records alone. */
export type TrackerState = {
  readonly preset: TrackerPreset;
  readonly startedAt: number;
  readonly mind: TrackerMind;
  readonly ledger: Ledger;
  readonly phases: TrackedPhases;
  /** What has been raised and still holds, so that it is not raised again. */
  readonly raised: readonly string[];
};

/** Something that whoever looks on may want to hear of. */
export type TrackerSignal =
  | { readonly type: 'state-changed'; readonly transition: TrackerTransition }
  | { readonly type: 'found'; readonly verdict: TrackerVerdict }
  | { readonly type: 'progress' };

export type Tracked = {
  readonly state: TrackerState;
  /** Why the record was refused, or null. */
  readonly error: string | null;
  readonly signals: readonly TrackerSignal[];
};

export type TrackerStart = {
  readonly preset: TrackerPreset;
  readonly at: number;
  readonly config?: object | undefined;
  readonly totalPhases?: number | undefined;
};

export function startTracking({ preset, at, config = {}, totalPhases }: TrackerStart): TrackerState {
  const mind = mindOf(preset, config, at);
  const phases = phasesOf(totalPhases ?? null);
  return { preset, startedAt: at, mind, ledger: emptyLedger, phases, raised: [] };
}

/**
 * Takes in one record. Pure: the same records always give the same state, and nothing is ever thrown. `ownRules` are
 * judged after those of the preset pawl, and are nothing to the others.
 */
export function track(
  state: TrackerState,
  record: TrackerRecord,
  ownRules: readonly Rule[] = noRules,
): Tracked {
  const ended = record.type === 'call-ended' ? endedCall(state.ledger, record) : null;
  const refusal = refused(state, record, ended);
  if (refusal !== null) return { state, error: refusal, signals: [] };
  const { mind, error } = take(state, record, { ledger: state.ledger, ended, ownRules });
  // A call that a tracker does not approve of has still been made; a move or a phase that is refused has not.
  const isDone = error === null || record.type === 'call-made';
  const { readTools } = mind.config;
  const after = {
    ...state,
    mind,
    ledger: isDone ? entered(state.ledger, record, readTools) : state.ledger,
    phases: isDone ? phasesAfter(state.phases, record, { ended, readTools }) : state.phases,
  };
  return raised(state, after, { error, at: record.at });
}

const noRules: readonly Rule[] = [];

/** What holds at a time, gravest first. */
export function verdictsOf(mind: TrackerMind, at: number): readonly TrackerVerdict[] {
  switch (mind.kind) {
    case 'pawl':
      return pawlVerdicts(mind);
    case 'nexora':
      return nexoraVerdicts(mind);
    case 'savant':
      return savantVerdicts(mind, at);
    default:
      return mind satisfies never;
  }
}

function refused({ phases }: TrackerState, record: TrackerRecord, ended: EndedCall | null): string | null {
  if (record.type === 'phase-started' || record.type === 'phase-completed')
    return refusedPhase(phases, record);
  if (record.type === 'call-ended' && ended === null) return `no call ${record.seq} is under way`;
  return null;
}

function take({ mind }: TrackerState, record: TrackerRecord, known: Known): Taken<TrackerMind> {
  switch (mind.kind) {
    case 'pawl':
      return takeWith(pawlTakers, mind, record, known);
    case 'nexora':
      return takeWith(nexoraTakers, mind, record, known);
    case 'savant':
      return takeWith(savantTakers, mind, record, known);
    default:
      return mind satisfies never;
  }
}

function phasesAfter(
  phases: TrackedPhases,
  record: TrackerRecord,
  { ended, readTools }: { readonly ended: EndedCall | null; readonly readTools: readonly string[] },
): TrackedPhases {
  const file = ended === null ? null : changedFile(ended, readTools);
  if (file !== null) return withPhaseFile(phases, file);
  if (record.type === 'phase-started') return started(phases, record);
  if (record.type === 'phase-completed') return completed(phases, record.success, record.at);
  if (record.type === 'file-changed') return withPhaseFile(phases, record.file);
  if (record.type === 'test-ran') return withPhaseTest(phases, record.passed);
  return record.type === 'blocker-met' ? withBlocker(phases, record.description) : phases;
}

function raised(
  before: TrackerState,
  after: TrackerState,
  { error, at }: { readonly error: string | null; readonly at: number },
): Tracked {
  const verdicts = verdictsOf(after.mind, at);
  const loops = verdicts.map(({ loop }) => loop);
  const signals: readonly TrackerSignal[] = [
    ...movesBetween(before, after).map((transition) => ({ type: 'state-changed' as const, transition })),
    ...verdicts
      .filter(({ loop }) => !before.raised.includes(loop))
      .map((verdict) => ({ type: 'found' as const, verdict })),
    ...(isProgressDue(before, after) ? [{ type: 'progress' as const }] : []),
  ];
  return { state: { ...after, raised: loops }, error, signals };
}

function movesBetween(before: TrackerState, after: TrackerState): readonly TrackerTransition[] {
  const count = after.mind.machine.moves - before.mind.machine.moves;
  return count === 0 ? [] : after.mind.machine.history.slice(-count);
}

function isProgressDue(before: TrackerState, { ledger, mind }: TrackerState): boolean {
  if (ledger.callsEnded === before.ledger.callsEnded) return false;
  return ledger.callsEnded % mind.config.progressCallbackInterval === 0;
}
