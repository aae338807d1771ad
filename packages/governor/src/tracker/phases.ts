import { appendRecent } from './tracker-machine.ts';
import type { RecordByType } from './tracker-record.ts';

/** One phase of a long task. */
export type Phase = {
  readonly number: number;
  readonly description: string;
  readonly startedAt: number;
  readonly expectedMs: number | null;
};

export type CompletedPhase = Phase & {
  readonly endedAt: number;
  readonly success: boolean;
};

/** The work done in a phase. */
type TrackedPhaseWork = {
  /** Files changed in the phase, without duplicates. */
  readonly files: readonly string[];
  readonly filesChanged: number;
  readonly testsPassed: number;
  readonly blockers: readonly string[];
};

export type TrackedPhase = Phase & TrackedPhaseWork;
export type CompletedTrackedPhase = CompletedPhase & TrackedPhaseWork;

/** The phases of a long task. `completed` holds each phase number at most once. */
export type TrackedPhases = {
  readonly total: number | null;
  readonly current: TrackedPhase | null;
  readonly completed: readonly CompletedTrackedPhase[];
};

/** Bounding the number also bounds the list of completed phases. */
const phaseNumberMax = 10_000;
const trackedPhaseFilesMax = 1_000;
const trackedPhaseBlockersMax = 100;

export function createTrackedPhases(total: number | null): TrackedPhases {
  return { total, current: null, completed: [] };
}

/** Returns why a phase cannot be started or completed, or null. */
export function findTrackedPhaseProblem(
  phases: TrackedPhases,
  record: RecordByType<'phase-started' | 'phase-completed'>,
): string | null {
  if (record.type === 'phase-completed') {
    const isOne = phases.current !== null || phases.completed.length > 0;
    return isOne ? null : 'no phase has been started, so none can be completed';
  }
  const { number } = record;
  const max = phases.total ?? phaseNumberMax;
  if (Number.isInteger(number) && number >= 1 && number <= max) return null;
  return `a phase has a whole number from 1 to ${max}, and this one has ${number}`;
}

/** Starting a phase completes the previous one; starting the current one again restarts it. */
export function startTrackedPhase(
  phases: TrackedPhases,
  record: RecordByType<'phase-started'>,
): TrackedPhases {
  const { number, description, expectedMs, at } = record;
  const before = phases.current?.number === number ? phases : completeTrackedPhase(phases, true, at);
  const work = { files: [], filesChanged: 0, testsPassed: 0, blockers: [] };
  return { ...before, current: { number, description, startedAt: at, expectedMs, ...work } };
}

/** Completion is idempotent: each phase number is recorded once, with its first result. */
export function completeTrackedPhase(phases: TrackedPhases, success: boolean, at: number): TrackedPhases {
  const { current } = phases;
  if (current === null) return phases;
  const isOnRecord = phases.completed.some((phase) => phase.number === current.number);
  const entry = { ...current, endedAt: at, success };
  return {
    ...phases,
    current: null,
    completed: isOnRecord ? phases.completed : [...phases.completed, entry],
  };
}

export function addPhaseFile(phases: TrackedPhases, file: string): TrackedPhases {
  const { current } = phases;
  if (current === null || current.files.includes(file)) return phases;
  const files = appendRecent(current.files, file, trackedPhaseFilesMax);
  return { ...phases, current: { ...current, files, filesChanged: current.filesChanged + 1 } };
}

export function addPhaseTest(phases: TrackedPhases, passed: boolean): TrackedPhases {
  const { current } = phases;
  if (current === null || !passed) return phases;
  return { ...phases, current: { ...current, testsPassed: current.testsPassed + 1 } };
}

export function addPhaseBlocker(phases: TrackedPhases, description: string): TrackedPhases {
  const { current } = phases;
  if (current === null) return phases;
  const blockers = appendRecent(current.blockers, description, trackedPhaseBlockersMax);
  return { ...phases, current: { ...current, blockers } };
}
