import type { Api } from '../../app/api.ts';
import { importedRun } from '../../app/imported-runs.ts';
import { sessionAddress } from '../../app/route.ts';
import { Track, type Numbered } from '../../app/track.ts';

/** A run that is read to its end, to be compared. */
export type LoadedRun = {
  readonly name: string;
  readonly model: string | null;
  readonly track: Track;
  /** The page of one of its events. */
  readonly addressOf: (seq: number) => string;
};

/** What stands before the number of a run that was read from a file. */
const imported = 'import:';

const pageSize = 5_000;
const sliceSize = 1_000;

/** Reads a run of the store, or one that the page has from a file, a piece at a time; `tell` hears how far it is. */
export async function loadRun(
  api: Api,
  name: string,
  { signal, tell }: { readonly signal: AbortSignal; readonly tell: (read: number) => void },
): Promise<LoadedRun> {
  if (name.startsWith(imported)) return loadImported(name.slice(imported.length), signal, tell);
  const detail = await api.session(name, signal);
  const track = new Track(detail.created);
  for (;;) {
    const { events, more } = await api.events(detail.id, { after: track.head, limit: pageSize }, signal);
    await feed(track, events, signal);
    tell(track.length);
    if (!more || events.length === 0) break;
  }
  return {
    name: detail.goal ?? detail.short,
    model: detail.model,
    track,
    addressOf: (seq) => sessionAddress({ id: detail.id }, 'events', seq),
  };
}

async function loadImported(
  id: string,
  signal: AbortSignal,
  tell: (read: number) => void,
): Promise<LoadedRun> {
  const run = importedRun(id);
  if (run === null) throw new Error('This run is no longer here: read its file again on the import page.');
  const track = new Track(run.created);
  await feed(track, run.events, signal);
  tell(track.length);
  return {
    name: run.name,
    model: run.model,
    track,
    addressOf: (seq) => sessionAddress({ page: 'imported', id }, 'events', seq),
  };
}

/** Between two slices the page has time to draw. */
async function feed(track: Track, events: readonly Numbered[], signal: AbortSignal): Promise<void> {
  for (let from = 0; from < events.length; from += sliceSize) {
    signal.throwIfAborted();
    track.add(events.slice(from, from + sliceSize));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
