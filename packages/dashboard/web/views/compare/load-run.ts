import type { ApiClient } from '../../app/api.ts';
import type { NumberedEvent } from '../../app/api-types.ts';
import { findImportedRun } from '../../app/imported-runs.ts';
import { formatSessionAddress } from '../../app/page-route.ts';
import { ReplayedTimeline } from '../../app/replayed-timeline.ts';

/** A completely loaded run for a comparison. */
export type LoadedRun = {
  readonly name: string;
  readonly model: string | null;
  readonly timeline: ReplayedTimeline;
  /** Returns the address of one of its events. */
  readonly getAddress: (seq: number) => string;
};

/** Prefix of the number of an imported run. */
const importedPrefix = 'import:';

const comparedPageSize = 5_000;
const comparedSliceSize = 1_000;

/** Loads a stored session or an imported run in slices; `onProgress` receives the progress. */
export async function loadRun(
  api: ApiClient,
  name: string,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (loaded: number) => void },
): Promise<LoadedRun> {
  if (name.startsWith(importedPrefix))
    return loadImportedRun(name.slice(importedPrefix.length), signal, onProgress);
  const detail = await api.session(name, signal);
  const timeline = new ReplayedTimeline(detail.created);
  for (;;) {
    const { events, more } = await api.events(
      detail.id,
      { after: timeline.head, limit: comparedPageSize },
      signal,
    );
    await feedTimeline(timeline, events, signal);
    onProgress(timeline.length);
    if (!more || events.length === 0) break;
  }
  return {
    name: detail.goal ?? detail.short,
    model: detail.model,
    timeline,
    getAddress: (seq) => formatSessionAddress({ id: detail.id }, 'events', seq),
  };
}

async function loadImportedRun(
  id: string,
  signal: AbortSignal,
  onProgress: (loaded: number) => void,
): Promise<LoadedRun> {
  const run = findImportedRun(id);
  if (run === null) throw new Error('This run is no longer available. Import its file again.');
  const timeline = new ReplayedTimeline(run.created);
  await feedTimeline(timeline, run.events, signal);
  onProgress(timeline.length);
  return {
    name: run.name,
    model: run.model,
    timeline,
    getAddress: (seq) => formatSessionAddress({ page: 'imported', id }, 'events', seq),
  };
}

/** Yields between slices so that the page can render. */
async function feedTimeline(
  timeline: ReplayedTimeline,
  events: readonly NumberedEvent[],
  signal: AbortSignal,
): Promise<void> {
  for (let from = 0; from < events.length; from += comparedSliceSize) {
    signal.throwIfAborted();
    timeline.add(events.slice(from, from + comparedSliceSize));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
