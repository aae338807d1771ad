import { createBooleanField, createNameListField, createIntegerField } from '../../config-field.ts';
import { parseTrackerConfig, type TrackerConfigFields, type TrackerConfigInput } from '../tracker-config.ts';

export type NexoraConfig = {
  /** Whether rules produce verdicts; events are recorded either way. */
  readonly enable: boolean;
  /** How many consecutive identical errors on the same target make the agent stuck. */
  readonly stuckThreshold: number;
  /** How many alternating changes of two files count as oscillation. */
  readonly oscillationWindow: number;
  /** How many actions without progress count as stalled. */
  readonly noProgressWindow: number;
  /** Number of calls between progress checks. */
  readonly progressCheckInterval: number;
  /** Number of calls between progress callbacks. */
  readonly progressCallbackInterval: number;
  readonly maxRecentActions: number;
  readonly maxRecentErrors: number;
  /** Read-only tools. */
  readonly readTools: readonly string[];
  /** Whether the tracker itself enters ErrorRecovery and Halted when stuck. */
  readonly autoHalt: boolean;
  /** How often recovery may be tried before the tracker halts. */
  readonly recoveryAttempts: number;
  /** The rules that allow recovery; the others halt at once. */
  readonly recoverableRules: readonly string[];
};

const nexoraFields: TrackerConfigFields<NexoraConfig> = {
  enable: createBooleanField(true),
  stuckThreshold: createIntegerField(3, 1),
  oscillationWindow: createIntegerField(4, 4),
  noProgressWindow: createIntegerField(10, 1),
  progressCheckInterval: createIntegerField(10, 1),
  progressCallbackInterval: createIntegerField(10, 1),
  maxRecentActions: createIntegerField(20, 1),
  maxRecentErrors: createIntegerField(10, 1),
  readTools: createNameListField(['view', 'ls', 'grep']),
  autoHalt: createBooleanField(false),
  recoveryAttempts: createIntegerField(3, 0),
  recoverableRules: createNameListField(['same_error']),
};

/** For agents that often fail a few times before they succeed. */
export const lenientNexoraConfig: TrackerConfigInput<NexoraConfig> = {
  stuckThreshold: 5,
  noProgressWindow: 15,
  progressCheckInterval: 15,
};

export function parseNexoraConfig(given: object, base: object = {}): NexoraConfig {
  const defaults = parseTrackerConfig(nexoraFields, base);
  const adjusted = Object.fromEntries(
    Object.entries(nexoraFields).map(([key, field]) => [
      key,
      { ...field, fallback: defaults[key as keyof NexoraConfig] },
    ]),
  ) as TrackerConfigFields<NexoraConfig>;
  const config = parseTrackerConfig(adjusted, given);
  checkHistoryLimit(config, 'stuckThreshold', 'maxRecentErrors');
  checkHistoryLimit(config, 'oscillationWindow', 'maxRecentActions');
  checkHistoryLimit(config, 'noProgressWindow', 'maxRecentActions');
  return config;
}

type NumericConfigKey = 'stuckThreshold' | 'oscillationWindow' | 'noProgressWindow' | `maxRecent${string}`;

/** A rule that looks back further than the history would silently never match. */
function checkHistoryLimit(
  config: NexoraConfig,
  rule: NumericConfigKey & keyof NexoraConfig,
  memory: NumericConfigKey & keyof NexoraConfig,
): void {
  if (config[rule] <= config[memory]) return;
  throw new TypeError(
    `Tracker config: ${rule} is ${config[rule]}, so ${memory} must be at least that, and is ${config[memory]}.`,
  );
}
