import type { ToolFinished } from '../event.ts';
import { digest } from '../governor/digest.ts';

/** What was done in a phase. Counts are of everything; lists hold the latest, so that a session stays small. */
export type PhaseWork = {
  /** The paths of files changed, each once, the latest of them last. */
  readonly files: readonly string[];
  /** How many files were changed. One that comes back after `filesMax` others is counted as another one. */
  readonly filesChanged: number;
  /** Tests that passed and failed, added up over every run of them. */
  readonly testsPassed: number;
  readonly testsFailed: number;
  /** What stood in the way, in words; each thing once. */
  readonly blockers: readonly string[];
};

export const noWork: PhaseWork = {
  files: [],
  filesChanged: 0,
  testsPassed: 0,
  testsFailed: 0,
  blockers: [],
};

export const filesMax = 200;
export const blockersMax = 20;
/** Longer than any path that a person would read; what is cut off is told apart by a fingerprint. */
const pathMax = 300;
const textMax = 500;

/** What a phase record has room for of a text that somebody wrote. */
export function clipped(text: string): string {
  return text.length <= textMax ? text : `${text.slice(0, textMax).toWellFormed()}…`;
}

/** The work and what a call did; the very same work if the call changed no new file and ran no tests. */
export function withCall(work: PhaseWork, { files = noFiles, tests }: Done): PhaseWork {
  const after = files.length === 0 ? work : withFiles(work, files);
  const passed = counted(tests?.passed);
  const failed = counted(tests?.failed);
  if (passed === 0 && failed === 0) return after;
  return {
    ...after,
    testsPassed: sum(after.testsPassed, passed),
    testsFailed: sum(after.testsFailed, failed),
  };
}

type Done = Pick<ToolFinished, 'files' | 'tests'>;
const noFiles: NonNullable<Done['files']> = [];

export function withBlockers(work: PhaseWork, blockers: readonly string[]): PhaseWork {
  const known = new Set(work.blockers);
  for (const blocker of blockers) if (blocker.trim() !== '') known.add(clipped(blocker));
  return known.size === work.blockers.length ? work : { ...work, blockers: [...known].slice(-blockersMax) };
}

/** Both pieces of work as one. A file that both changed is listed once and counted twice, as in two phases. */
export function joined(first: PhaseWork, second: PhaseWork): PhaseWork {
  return {
    files: [...new Set([...first.files, ...second.files])].slice(-filesMax),
    filesChanged: sum(first.filesChanged, second.filesChanged),
    testsPassed: sum(first.testsPassed, second.testsPassed),
    testsFailed: sum(first.testsFailed, second.testsFailed),
    blockers: withBlockers(first, second.blockers).blockers,
  };
}

function withFiles(work: PhaseWork, files: NonNullable<Done['files']>): PhaseWork {
  const known = new Set(work.files);
  const before = known.size;
  for (const { path } of files) known.add(shortPath(path));
  const added = known.size - before;
  if (added === 0) return work;
  return { ...work, files: [...known].slice(-filesMax), filesChanged: sum(work.filesChanged, added) };
}

function shortPath(path: string): string {
  return path.length <= pathMax ? path : `${path.slice(0, pathMax).toWellFormed()}…${digest(path)}`;
}

/** Whoever counts tests may count wrongly; a record that is no number any more would be worse. */
function counted(count: number | undefined): number {
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

export function sum(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER);
}
