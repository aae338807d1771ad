import { useEffect, useState } from 'react';
import type { ImportedRun } from './api-types.ts';
import { Track } from './track.ts';

/** Runs that were read from files. The page alone knows them; they go when it is left. */
const runs: ImportedRun[] = [];

/** Keeps runs and returns the address of each. */
export function keepImported(read: readonly ImportedRun[]): readonly string[] {
  return read.map((run) => `#/i/${runs.push(run)}/transcript`);
}

export function importedRun(id: string): ImportedRun | null {
  return runs[Number(id) - 1] ?? null;
}

const sliceSize = 1_000;

/** The track of such a run, which grows a slice at a time. */
export function useImportedTrack(run: ImportedRun): { readonly track: Track; readonly version: number } {
  const [track] = useState(() => new Track(run.created));
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let timer: number | undefined;
    const readOn = (): void => {
      const from = track.length;
      if (from >= run.events.length) return;
      track.add(run.events.slice(from, from + sliceSize));
      setVersion(track.length);
      timer = window.setTimeout(readOn, 0);
    };
    readOn();
    return () => window.clearTimeout(timer);
  }, [track, run]);
  return { track, version };
}
