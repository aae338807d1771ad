import { fingerprintText, type FileEffect } from '@pawl/governor';
import type { CompletedPhase, Phase } from '@pawl/governor/tracker';

export type { CompletedPhase, Phase };

/** The current phase with the work done so far. */
export type CurrentPhase = Phase & PhaseWork;

/** A completed phase. `summary` comes from the event that completed it, if given. */
export type PastPhase = CompletedPhase & PhaseWork & { readonly summary: string | null };

/** The phases of a long task. `completed` holds each phase number at most once. */
export type PhaseState = {
  readonly total: number | null;
  readonly current: CurrentPhase | null;
  readonly completed: readonly PastPhase[];
  /** Work done outside any phase. */
  readonly outside: PhaseWork;
};

/** The work done in a phase. Counts cover everything; lists hold the latest items, so that a session stays small. */
export type PhaseWork = {
  /** Paths of changed files, without duplicates, latest last. */
  readonly files: readonly string[];
  /** Number of changed files. A file that recurs after `phaseFilesMax` others is counted again. */
  readonly filesChanged: number;
  /** Passed and failed tests, summed over every run. */
  readonly testsPassed: number;
  readonly testsFailed: number;
  /** What blocked the work, without duplicates. */
  readonly blockers: readonly string[];
};

export const emptyPhaseWork: PhaseWork = {
  files: [],
  filesChanged: 0,
  testsPassed: 0,
  testsFailed: 0,
  blockers: [],
};

export const phaseFilesMax = 200;
export const phaseBlockersMax = 20;
/** Longer than any path a person would read; a fingerprint distinguishes truncated paths. */
const phasePathMax = 300;
const phaseTextMax = 500;

/** Truncates text for a phase record. */
export function clipPhaseText(text: string): string {
  return text.length <= phaseTextMax ? text : `${text.slice(0, phaseTextMax).toWellFormed()}…`;
}

/** Adds the effects of a call; returns the same object if it changed no new file and ran no tests. */
function addCallEffects(work: PhaseWork, { files = noFiles, tests }: CallEffects): PhaseWork {
  const after = files.length === 0 ? work : addChangedFiles(work, files);
  const passed = toValidCount(tests?.passed);
  const failed = toValidCount(tests?.failed);
  if (passed === 0 && failed === 0) return after;
  return {
    ...after,
    testsPassed: addCapped(after.testsPassed, passed),
    testsFailed: addCapped(after.testsFailed, failed),
  };
}

/** The effects that the end of a call reports. */
type CallEffects = {
  readonly files?: readonly FileEffect[];
  readonly tests?: { readonly passed: number; readonly failed: number };
};
const noFiles: readonly FileEffect[] = [];

export function addBlockers(work: PhaseWork, blockers: readonly string[]): PhaseWork {
  const known = new Set(work.blockers);
  for (const blocker of blockers) if (blocker.trim() !== '') known.add(clipPhaseText(blocker));
  return known.size === work.blockers.length
    ? work
    : { ...work, blockers: [...known].slice(-phaseBlockersMax) };
}

/** Merges the work of two phases. A file that both changed is listed once and counted twice. */
export function mergePhaseWork(first: PhaseWork, second: PhaseWork): PhaseWork {
  return {
    files: [...new Set([...first.files, ...second.files])].slice(-phaseFilesMax),
    filesChanged: addCapped(first.filesChanged, second.filesChanged),
    testsPassed: addCapped(first.testsPassed, second.testsPassed),
    testsFailed: addCapped(first.testsFailed, second.testsFailed),
    blockers: addBlockers(first, second.blockers).blockers,
  };
}

function addChangedFiles(work: PhaseWork, files: readonly FileEffect[]): PhaseWork {
  const known = new Set(work.files);
  const knownCount = known.size;
  for (const { path } of files) known.add(shortenPath(path));
  const added = known.size - knownCount;
  if (added === 0) return work;
  return {
    ...work,
    files: [...known].slice(-phaseFilesMax),
    filesChanged: addCapped(work.filesChanged, added),
  };
}

function shortenPath(path: string): string {
  return path.length <= phasePathMax
    ? path
    : `${path.slice(0, phasePathMax).toWellFormed()}…${fingerprintText(path)}`;
}

/** Ignores invalid counts, because they would corrupt the record. */
function toValidCount(count: number | undefined): number {
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

export function addCapped(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER);
}

/** Adds the effects of a call to the current phase or outside any; returns the same object if there are none. */
export function addPhaseWork(phases: PhaseState, effects: CallEffects): PhaseState {
  const { current, outside } = phases;
  if (current === null) {
    const work = addCallEffects(outside, effects);
    return work === outside ? phases : { ...phases, outside: work };
  }
  const work = addCallEffects(current, effects);
  return work === current ? phases : { ...phases, current: { ...current, ...work } };
}
