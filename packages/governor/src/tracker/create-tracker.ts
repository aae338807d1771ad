import type { Rule } from '../rules/rule.ts';
import { pawlRules } from '../rules/pawl-rules.ts';
import { parsePawlConfig } from './pawl/config.ts';
import type { TrackerConfig, TrackerPreset } from './presets.ts';
import { parseTrackerSnapshot } from './snapshot.ts';
import { startTracking } from './track-record.ts';
import { LoopTracker, type TrackerHost } from './loop-tracker.ts';

export type TrackerOptions<Preset extends TrackerPreset> = TrackerHost<Preset> & {
  readonly sessionId: string;
  readonly preset: Preset;
  readonly totalPhases?: number | undefined;
  readonly config?: TrackerConfig<Preset> | undefined;
  /** For the nexora presets: enter ErrorRecovery and Halted automatically. */
  readonly autoHalt?: boolean | undefined;
};

/** Creates a tracker for an agent that runs its own loop; throws a TypeError for invalid options. */
export function createTracker<Preset extends TrackerPreset>(
  options: TrackerOptions<Preset>,
): LoopTracker<Preset> {
  const { sessionId, preset, totalPhases, config, autoHalt, ...host } = options;
  checkTrackerHost(options);
  checkPresetOptions(options);
  const given = autoHalt === undefined ? config : { ...config, autoHalt };
  return new LoopTracker(
    sessionId,
    startTracking({ preset, at: host.now(), config: given, totalPhases }),
    host,
  );
}

function checkTrackerHost({ sessionId, now, totalPhases }: TrackerOptions<TrackerPreset>): void {
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

function checkPresetOptions({ preset, config, autoHalt, ownRules }: TrackerOptions<TrackerPreset>): void {
  if (autoHalt !== undefined && (preset === 'savant' || preset === 'pawl')) {
    throw new TypeError('autoHalt is for the nexora presets; for savant set policy in its config.');
  }
  if (preset === 'pawl') checkRuleIds(config ?? {}, ownRules ?? []);
  else if (ownRules !== undefined) {
    throw new TypeError(`ownRules are for the preset pawl; ${preset} has rules of another kind.`);
  }
}

/** An override for an unknown rule would be silently ignored. */
function checkRuleIds(config: object, ownRules: readonly Rule[]): void {
  const { rules } = parsePawlConfig(config);
  const known = [...pawlRules, ...ownRules].map(({ id }) => id);
  const unknown = Object.keys(rules).find((id) => !known.includes(id));
  if (unknown === undefined) return;
  throw new TypeError(`Tracker config: there is no rule ${unknown}. The rules are ${known.join(', ')}.`);
}

/** Restores a tracker from its snapshot. */
export function restoreTracker(snapshot: unknown, host: TrackerHost): LoopTracker {
  const { sessionId, state } = parseTrackerSnapshot(snapshot);
  return new LoopTracker<TrackerPreset>(sessionId, state, host);
}
