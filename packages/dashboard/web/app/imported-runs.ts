import { useEffect, useState } from 'react';
import type { ImportedRun } from './api-types.ts';
import { ReplayedTimeline } from './replayed-timeline.ts';

/** Runs imported from files. They exist only in this page and are lost when it is closed. */
const storedImportedRuns: ImportedRun[] = [];

/** Stores runs and returns the address of each. */
export function storeImportedRuns(read: readonly ImportedRun[]): readonly string[] {
  return read.map((run) => `#/i/${storedImportedRuns.push(run)}/transcript`);
}

export function findImportedRun(id: string): ImportedRun | null {
  return storedImportedRuns[Number(id) - 1] ?? null;
}

const importSliceSize = 1_000;

/** Builds the timeline of an imported run in slices. */
export function useImportedTimeline(run: ImportedRun): {
  readonly track: ReplayedTimeline;
  readonly version: number;
} {
  const [track] = useState(() => new ReplayedTimeline(run.created));
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let timer: number | undefined;
    const readOn = (): void => {
      const from = track.length;
      if (from >= run.events.length) return;
      track.add(run.events.slice(from, from + importSliceSize));
      setVersion(track.length);
      timer = window.setTimeout(readOn, 0);
    };
    readOn();
    return () => window.clearTimeout(timer);
  }, [track, run]);
  return { track, version };
}
