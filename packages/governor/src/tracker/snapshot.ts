import { upgradeTrackerState } from './upgrade-tracker-state.ts';
import { isPlainObject } from '../json/config-field.ts';
import { summarizeTracker, type TrackerSummary } from './report.ts';
import { startTracking, type TrackerState } from './track-record.ts';
import { isNexoraState } from './nexora.ts';
import { createDetector, trackerPresets, type TrackerPreset } from './presets.ts';
import { isSavantState } from './savant.ts';

/** A tracker as JSON. `summary` is for readers; a tracker is restored from `state`. */
export type TrackerSnapshot = {
  readonly version: 2;
  readonly sessionId: string;
  readonly state: TrackerState;
  readonly summary: TrackerSummary;
};

export function createTrackerSnapshot(sessionId: string, state: TrackerState, at: number): TrackerSnapshot {
  return { version: 2, sessionId, state, summary: summarizeTracker(state, at) };
}

/** Validates a persisted snapshot. */
export function parseTrackerSnapshot(value: unknown): Pick<TrackerSnapshot, 'sessionId' | 'state'> {
  if (!isPlainObject(value) || (value['version'] !== 1 && value['version'] !== 2))
    throw createSnapshotError('version 1 or 2', value);
  const { sessionId } = value;
  const state = isPlainObject(value['state']) ? upgradeTrackerState(value['state']) : value['state'];
  if (typeof sessionId !== 'string') throw createSnapshotError('a sessionId', sessionId);
  const preset = isPlainObject(state) ? trackerPresets.find((name) => name === state['preset']) : undefined;
  if (!isPlainObject(state) || preset === undefined)
    throw createSnapshotError(`a state with one of the presets ${trackerPresets.join(', ')}`, state);
  const missing = findShapeDifference(startTracking({ preset, at: 0 }), state, 'state');
  if (missing !== null) throw createSnapshotError(missing, state);
  // The state has every field of a new state, with the same type.
  const restored = state as TrackerState;
  const name = restored.detector.machine.state;
  if (!isPresetState(preset, name)) throw createSnapshotError('a known machine state', name);
  createDetector(preset, restored.detector.config, 0);
  return { sessionId, state: restored };
}

function isPresetState(preset: TrackerPreset, name: string): boolean {
  if (preset === 'pawl') return name === 'working';
  return preset === 'savant' ? isSavantState(name) : isNexoraState(name);
}

/**
 * Returns what a value lacks compared with a pattern, or null. Null and empty objects in the pattern accept anything.
 */
function findShapeDifference(pattern: unknown, value: unknown, path: string): string | null {
  if (pattern === null || pattern === undefined) return value === undefined ? path : null;
  if (Array.isArray(pattern)) return Array.isArray(value) ? null : `a list at ${path}`;
  if (!isPlainObject(pattern))
    return typeof pattern === typeof value ? null : `a ${typeof pattern} at ${path}`;
  if (!isPlainObject(value)) return `an object at ${path}`;
  for (const [key, part] of Object.entries(pattern)) {
    const found = findShapeDifference(part, value[key], `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

function createSnapshotError(expected: string, value: unknown): TypeError {
  const received = (JSON.stringify(value) ?? typeof value).slice(0, 80);
  return new TypeError(`This is not a snapshot of a tracker: expected ${expected}, and got ${received}.`);
}
