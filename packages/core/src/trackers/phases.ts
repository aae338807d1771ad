import type { CompletedPhase, Phase } from '../phases/phase.ts';
import { withRecent } from './recent.ts';
import type { RecordOf } from './record.ts';

/** What happened during a phase. */
type PhaseWork = {
  /** The files changed in it, each once. */
  readonly files: readonly string[];
  readonly filesChanged: number;
  readonly testsPassed: number;
  readonly blockers: readonly string[];
};

export type TrackedPhase = Phase & PhaseWork;
export type CompletedTrackedPhase = CompletedPhase & PhaseWork;

/** Which part of a long task this is. `completed` holds each phase number at most once. */
export type TrackedPhases = {
  readonly total: number | null;
  readonly current: TrackedPhase | null;
  readonly completed: readonly CompletedTrackedPhase[];
};

/** A bound on numbers bounds the record of completed phases as well. */
const numberMax = 10_000;
const filesMax = 1_000;
const blockersMax = 100;

export function phasesOf(total: number | null): TrackedPhases {
  return { total, current: null, completed: [] };
}

/** Why a phase cannot be started or completed, or null. */
export function refusedPhase(
  phases: TrackedPhases,
  record: RecordOf<'phase-started' | 'phase-completed'>,
): string | null {
  if (record.type === 'phase-completed') {
    const isOne = phases.current !== null || phases.completed.length > 0;
    return isOne ? null : 'no phase has been started, so none can be completed';
  }
  const { number } = record;
  const max = phases.total ?? numberMax;
  if (Number.isInteger(number) && number >= 1 && number <= max) return null;
  return `a phase has a whole number from 1 to ${max}, and this one has ${number}`;
}

/** Starting a phase completes the one before it; starting the one under way begins it anew. */
export function started(phases: TrackedPhases, record: RecordOf<'phase-started'>): TrackedPhases {
  const { number, description, expectedMs, at } = record;
  const before = phases.current?.number === number ? phases : completed(phases, true, at);
  const work = { files: [], filesChanged: 0, testsPassed: 0, blockers: [] };
  return { ...before, current: { number, description, startedAt: at, expectedMs, ...work } };
}

/** Completing is idempotent: a phase number is on record at most once, as it was completed first. */
export function completed(phases: TrackedPhases, success: boolean, at: number): TrackedPhases {
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

export function withPhaseFile(phases: TrackedPhases, file: string): TrackedPhases {
  const { current } = phases;
  if (current === null || current.files.includes(file)) return phases;
  const files = withRecent(current.files, file, filesMax);
  return { ...phases, current: { ...current, files, filesChanged: current.filesChanged + 1 } };
}

export function withPhaseTest(phases: TrackedPhases, passed: boolean): TrackedPhases {
  const { current } = phases;
  if (current === null || !passed) return phases;
  return { ...phases, current: { ...current, testsPassed: current.testsPassed + 1 } };
}

export function withBlocker(phases: TrackedPhases, description: string): TrackedPhases {
  const { current } = phases;
  if (current === null) return phases;
  const blockers = withRecent(current.blockers, description, blockersMax);
  return { ...phases, current: { ...current, blockers } };
}
