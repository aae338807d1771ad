import { isObject } from '../field.ts';
import { summaryOf, type TrackerSummary } from './summary.ts';
import { startTracking, type TrackerState } from './track.ts';
import { isNexoraState } from './nexora/states.ts';
import { mindOf, trackerPresets, type TrackerPreset } from './presets.ts';
import { isSavantState } from './savant/states.ts';

/** A tracker as JSON. `summary` is for readers; `state` is what a tracker is restored from. */
export type TrackerSnapshot = {
  readonly version: 1;
  readonly sessionId: string;
  readonly state: TrackerState;
  readonly summary: TrackerSummary;
};

export function snapshotOf(sessionId: string, state: TrackerState, at: number): TrackerSnapshot {
  return { version: 1, sessionId, state, summary: summaryOf(state, at) };
}

/** Checks what came back from wherever it was kept. */
export function readSnapshot(value: unknown): Pick<TrackerSnapshot, 'sessionId' | 'state'> {
  if (!isObject(value) || value['version'] !== 1) throw broken('version 1', value);
  const { sessionId, state } = value;
  if (typeof sessionId !== 'string') throw broken('a sessionId', sessionId);
  const preset = isObject(state) ? trackerPresets.find((name) => name === state['preset']) : undefined;
  if (!isObject(state) || preset === undefined)
    throw broken(`a state with one of the presets ${trackerPresets.join(', ')}`, state);
  const missing = difference(startTracking({ preset, at: 0 }), state, 'state');
  if (missing !== null) throw broken(missing, state);
  // Everything a fresh state has is there and of the same kind.
  const restored = state as TrackerState;
  const name = restored.mind.machine.state;
  if (!isState(preset, name)) throw broken('a known machine state', name);
  mindOf(preset, restored.mind.config, 0);
  return { sessionId, state: restored };
}

function isState(preset: TrackerPreset, name: string): boolean {
  if (preset === 'pawl') return name === 'working';
  return preset === 'savant' ? isSavantState(name) : isNexoraState(name);
}

/** What a value lacks of a pattern, or null. Where the pattern has null or an empty object, anything may be. */
function difference(pattern: unknown, value: unknown, path: string): string | null {
  if (pattern === null || pattern === undefined) return value === undefined ? path : null;
  if (Array.isArray(pattern)) return Array.isArray(value) ? null : `a list at ${path}`;
  if (!isObject(pattern)) return typeof pattern === typeof value ? null : `a ${typeof pattern} at ${path}`;
  if (!isObject(value)) return `an object at ${path}`;
  for (const [key, part] of Object.entries(pattern)) {
    const found = difference(part, value[key], `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

function broken(expected: string, value: unknown): TypeError {
  const came = (JSON.stringify(value) ?? typeof value).slice(0, 80);
  return new TypeError(`This is not a snapshot of a tracker: expected ${expected}, and got ${came}.`);
}
