import { createTracker, type TrackerOptions } from '../../src/trackers/create-tracker.ts';
import type { Tracker, TrackerCallbacks } from '../../src/trackers/tracker.ts';
import type { TrackerPreset } from '../../src/trackers/presets.ts';

/** A tracker with a clock that moves only when told to, and a record of everything it called back. */
export type Watched<Preset extends TrackerPreset> = {
  readonly tracker: Tracker<Preset>;
  readonly clock: { at: number };
  readonly told: string[];
};

type Extra<Preset extends TrackerPreset> = Partial<TrackerOptions<Preset>>;

export function watched<Preset extends TrackerPreset>(
  preset: Preset,
  options: Extra<Preset> = {},
): Watched<Preset> {
  const clock = { at: 1_000 };
  const told: string[] = [];
  const tracker = createTracker<Preset>({
    sessionId: 'session-123',
    preset,
    now: () => clock.at,
    ...listeners<Preset>(told),
    ...options,
  });
  return { tracker, clock, told };
}

export function listeners<Preset extends TrackerPreset>(told: string[]): TrackerCallbacks<Preset> {
  return {
    onStateChange: (from, to) => void told.push(`${from} → ${to}`),
    onStuck: ({ rule }) => void told.push(`stuck: ${rule}`),
    onWarning: ({ rule }) => void told.push(`warning: ${rule}`),
    onProgress: ({ calls }) => void told.push(`progress: ${calls}`),
  };
}

type Nexora = Tracker<'nexora'> | Tracker<'nexora-lenient'> | Tracker<'nexora' | 'nexora-lenient'>;

export const notFound = 'old_string not found';

export function edits(
  tracker: Nexora,
  file: string,
  more: { error?: string; contentHash?: string } = {},
): void {
  tracker.recordToolCall({ tool: 'edit', file, success: more.error === undefined, ...more });
}

export function fails(tracker: Nexora, times: number, file = 'main.go', error: string = notFound): void {
  for (let time = 0; time < times; time += 1) edits(tracker, file, { error });
}

/** A search that is left without an outcome. */
export function searches(
  tracker: Tracker<'savant'>,
  query: string,
): ReturnType<typeof tracker.recordToolCall> {
  return tracker.recordToolCall({ tool: 'context.fts_search', args: { query } });
}
