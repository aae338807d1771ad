import type { ApiClient } from '../../app/api.ts';
import type { NumberedEvent } from '../../app/api-types.ts';
import { findImportedRun } from '../../app/imported-runs.ts';
import { formatSessionAddress } from '../../app/page-route.ts';
import { ReplayedTimeline } from '../../app/replayed-timeline.ts';

/** A completely loaded run for a comparison. */
export type LoadedRun = {
  readonly name: string;
  readonly model: string | null;
  readonly track: ReplayedTimeline;
  /** Returns the address of one of its events. */
  readonly addressOf: (seq: number) => string;
};

/** Prefix of the number of an imported run. */
const importedPrefix = 'import:';

const comparedPageSize = 5_000;
const comparedSliceSize = 1_000;

/** Loads a stored session or an imported run in slices; `tell` receives the progress. */
export async function loadRun(
  api: ApiClient,
  name: string,
  { signal, tell }: { readonly signal: AbortSignal; readonly tell: (read: number) => void },
): Promise<LoadedRun> {
  if (name.startsWith(importedPrefix))
    return loadImportedRun(name.slice(importedPrefix.length), signal, tell);
  const detail = await api.session(name, signal);
  const track = new ReplayedTimeline(detail.created);
  for (;;) {
    const { events, more } = await api.events(
      detail.id,
      { after: track.head, limit: comparedPageSize },
      signal,
    );
    await feedTimeline(track, events, signal);
    tell(track.length);
    if (!more || events.length === 0) break;
  }
  return {
    name: detail.goal ?? detail.short,
    model: detail.model,
    track,
    addressOf: (seq) => formatSessionAddress({ id: detail.id }, 'events', seq),
  };
}

async function loadImportedRun(
  id: string,
  signal: AbortSignal,
  tell: (read: number) => void,
): Promise<LoadedRun> {
  const run = findImportedRun(id);
  if (run === null) throw new Error('This run is no longer here: read its file again on the import page.');
  const track = new ReplayedTimeline(run.created);
  await feedTimeline(track, run.events, signal);
  tell(track.length);
  return {
    name: run.name,
    model: run.model,
    track,
    addressOf: (seq) => formatSessionAddress({ page: 'imported', id }, 'events', seq),
  };
}

/** Yields between slices so that the page can render. */
async function feedTimeline(
  track: ReplayedTimeline,
  events: readonly NumberedEvent[],
  signal: AbortSignal,
): Promise<void> {
  for (let from = 0; from < events.length; from += comparedSliceSize) {
    signal.throwIfAborted();
    track.add(events.slice(from, from + comparedSliceSize));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
