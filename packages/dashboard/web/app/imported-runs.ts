import { useEffect, useState } from 'react';
import type { ImportedRun } from './api-types.ts';
import { ReplayedTimeline } from './replayed-timeline.ts';

/** Runs imported from files. They exist only in this page and are lost when it is closed. */
const storedImportedRuns: ImportedRun[] = [];

/** Stores runs and returns the address of each. */
export function storeImportedRuns(runs: readonly ImportedRun[]): readonly string[] {
  return runs.map((run) => `#/i/${storedImportedRuns.push(run)}/transcript`);
}

export function findImportedRun(id: string): ImportedRun | null {
  return storedImportedRuns[Number(id) - 1] ?? null;
}

const importSliceSize = 1_000;

/** Builds the timeline of an imported run in slices. */
export function useImportedTimeline(run: ImportedRun): {
  readonly timeline: ReplayedTimeline;
  readonly version: number;
} {
  const [timeline] = useState(() => new ReplayedTimeline(run.created));
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let timer: number | undefined;
    const addSlice = (): void => {
      const from = timeline.length;
      if (from >= run.events.length) return;
      timeline.add(run.events.slice(from, from + importSliceSize));
      setVersion(timeline.length);
      timer = window.setTimeout(addSlice, 0);
    };
    addSlice();
    return () => window.clearTimeout(timer);
  }, [timeline, run]);
  return { timeline, version };
}
