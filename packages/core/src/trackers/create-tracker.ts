import type { Rule } from '../governor/rule.ts';
import { pawlRules } from '../governor/rules/pawl.ts';
import { pawlConfig } from './pawl/config.ts';
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
  checkHost(options);
  checkForPreset(options);
  const given = autoHalt === undefined ? config : { ...config, autoHalt };
  return new Tracker(sessionId, startTracking({ preset, at: host.now(), config: given, totalPhases }), host);
}

function checkHost({ sessionId, now, totalPhases }: TrackerOptions<TrackerPreset>): void {
  if (typeof sessionId !== 'string' || sessionId === '') {
    throw new TypeError('A tracker needs a sessionId: a text that is not empty.');
  }
  if (typeof now !== 'function') {
    throw new TypeError(
      'A tracker needs now: a function that gives the time in milliseconds, such as Date.now.',
    );
  }
  const hasPhases = totalPhases !== undefined;
  if (hasPhases && !(Number.isInteger(totalPhases) && totalPhases >= 1 && totalPhases <= 10_000)) {
    throw new TypeError(`totalPhases expects a whole number from 1 to 10000, and got ${totalPhases}.`);
  }
}

function checkForPreset({ preset, config, autoHalt, ownRules }: TrackerOptions<TrackerPreset>): void {
  if (autoHalt !== undefined && (preset === 'savant' || preset === 'pawl')) {
    throw new TypeError('autoHalt is for the nexora presets; for savant set policy in its config.');
  }
  if (preset === 'pawl') checkRules(config ?? {}, ownRules ?? []);
  else if (ownRules !== undefined) {
    throw new TypeError(`ownRules are for the preset pawl; ${preset} has rules of another kind.`);
  }
}

/** A change to a rule that does not exist would change nothing, and nobody would notice. */
function checkRules(config: object, ownRules: readonly Rule[]): void {
  const { rules } = pawlConfig(config);
  const known = [...pawlRules, ...ownRules].map(({ id }) => id);
  const unknown = Object.keys(rules).find((id) => !known.includes(id));
  if (unknown === undefined) return;
  throw new TypeError(`Tracker config: there is no rule ${unknown}. The rules are ${known.join(', ')}.`);
}

/** A tracker that goes on where the one that wrote the snapshot stopped. */
export function restoreTracker(snapshot: unknown, host: TrackerHost): Tracker {
  const { sessionId, state } = readSnapshot(snapshot);
  return new Tracker<TrackerPreset>(sessionId, state, host);
}
