import type { TrackerConfig, TrackerPreset } from './presets.ts';
import { readSnapshot } from './snapshot.ts';
import { startTracking } from './track.ts';
import { Tracker, type TrackerHost } from './tracker.ts';

export type TrackerOptions<Preset extends TrackerPreset> = TrackerHost<Preset> & {
  readonly sessionId: string;
  readonly preset: Preset;
  readonly totalPhases?: number | undefined;
  readonly config?: TrackerConfig<Preset> | undefined;
  /** For the nexora presets: go to ErrorRecovery and to Halted without being told. */
  readonly autoHalt?: boolean | undefined;
};

export function createTracker<Preset extends TrackerPreset>(
  options: TrackerOptions<Preset>,
): Tracker<Preset> {
  const { sessionId, preset, totalPhases, config, autoHalt, ...host } = options;
  if (typeof sessionId !== 'string' || sessionId === '') {
    throw new TypeError('A tracker needs a sessionId: a text that is not empty.');
  }
  if (typeof host.now !== 'function') {
    throw new TypeError(
      'A tracker needs now: a function that gives the time in milliseconds, such as Date.now.',
    );
  }
  const hasPhases = totalPhases !== undefined;
  if (hasPhases && !(Number.isInteger(totalPhases) && totalPhases >= 1 && totalPhases <= 10_000)) {
    throw new TypeError(`totalPhases expects a whole number from 1 to 10000, and got ${totalPhases}.`);
  }
  if (autoHalt !== undefined && preset === 'savant') {
    throw new TypeError('autoHalt is for the nexora presets; for savant set policy in its config.');
  }
  const given = autoHalt === undefined ? config : { ...config, autoHalt };
  return new Tracker(sessionId, startTracking({ preset, at: host.now(), config: given, totalPhases }), host);
}

/** A tracker that goes on where the one that wrote the snapshot stopped. */
export function restoreTracker(snapshot: unknown, host: TrackerHost): Tracker {
  const { sessionId, state } = readSnapshot(snapshot);
  return new Tracker<TrackerPreset>(sessionId, state, host);
}
