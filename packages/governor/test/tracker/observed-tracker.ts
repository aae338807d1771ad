import {
  createTracker,
  type TrackerOptions,
  type LoopTracker,
  type TrackerCallbacks,
} from '../../src/tracker/loop-tracker.ts';
import type { TrackerPreset } from '../../src/tracker/presets.ts';

/** A tracker with a clock that moves only when told to, and a record of everything it called back. */
export type ObservedTracker<Preset extends TrackerPreset> = {
  readonly tracker: LoopTracker<Preset>;
  readonly clock: { at: number };
  readonly log: string[];
};

type TrackerOverrides<Preset extends TrackerPreset> = Partial<TrackerOptions<Preset>>;

export function createObservedTracker<Preset extends TrackerPreset>(
  preset: Preset,
  options: TrackerOverrides<Preset> = {},
): ObservedTracker<Preset> {
  const clock = { at: 1_000 };
  const log: string[] = [];
  const tracker = createTracker<Preset>({
    sessionId: 'session-123',
    preset,
    now: () => clock.at,
    ...createLoggingCallbacks<Preset>(log),
    ...options,
  });
  return { tracker, clock, log };
}

export function createLoggingCallbacks<Preset extends TrackerPreset>(
  log: string[],
): TrackerCallbacks<Preset> {
  return {
    onStateChange: (from, to) => void log.push(`${from} → ${to}`),
    onStuck: ({ rule }) => void log.push(`stuck: ${rule}`),
    onWarning: ({ rule }) => void log.push(`warning: ${rule}`),
    onProgress: ({ calls }) => void log.push(`progress: ${calls}`),
  };
}

type NexoraTracker =
  | LoopTracker<'nexora'>
  | LoopTracker<'nexora-lenient'>
  | LoopTracker<'nexora' | 'nexora-lenient'>;

export const notFoundError = 'old_string not found';

export function recordEdit(
  tracker: NexoraTracker,
  file: string,
  more: { error?: string; contentHash?: string } = {},
): void {
  tracker.recordToolCall({ tool: 'edit', file, success: more.error === undefined, ...more });
}

export function recordFailedEdits(
  tracker: NexoraTracker,
  times: number,
  file = 'main.go',
  error: string = notFoundError,
): void {
  for (let time = 0; time < times; time += 1) recordEdit(tracker, file, { error });
}

/** A search that is left without an outcome. */
export function recordSearch(
  tracker: LoopTracker<'savant'>,
  query: string,
): ReturnType<typeof tracker.recordToolCall> {
  return tracker.recordToolCall({ tool: 'context.fts_search', args: { query } });
}
