import { flag, names, wholeNumber } from '../../field.ts';
import { readConfig, type Fields, type Given } from '../config.ts';

export type NexoraConfig = {
  /** Whether anything is ever found; what happens is on record either way. */
  readonly enable: boolean;
  /** How often the same error on the same target is too often. */
  readonly stuckThreshold: number;
  /** How many changes back and forth between two files are too many. */
  readonly oscillationWindow: number;
  /** How many actions without progress are too many. */
  readonly noProgressWindow: number;
  /** After how many calls progress is looked at again. */
  readonly progressCheckInterval: number;
  /** After how many calls the progress callback is called again. */
  readonly progressCallbackInterval: number;
  readonly maxRecentActions: number;
  readonly maxRecentErrors: number;
  /** Tools that change nothing. */
  readonly readTools: readonly string[];
  /** Whether the tracker itself goes to ErrorRecovery and to Halted when stuck. */
  readonly autoHalt: boolean;
  /** How often a failing recovery may be tried again before it halts. */
  readonly recoveryAttempts: number;
  /** The rules there is a way to recover from; the others halt at once. */
  readonly recoverableRules: readonly string[];
};

const fields: Fields<NexoraConfig> = {
  enable: flag(true),
  stuckThreshold: wholeNumber(3, 1),
  oscillationWindow: wholeNumber(4, 4),
  noProgressWindow: wholeNumber(10, 1),
  progressCheckInterval: wholeNumber(10, 1),
  progressCallbackInterval: wholeNumber(10, 1),
  maxRecentActions: wholeNumber(20, 1),
  maxRecentErrors: wholeNumber(10, 1),
  readTools: names(['view', 'ls', 'grep']),
  autoHalt: flag(false),
  recoveryAttempts: wholeNumber(3, 0),
  recoverableRules: names(['same_error']),
};

/** For agents that are known to fumble before they succeed. */
export const lenient: Given<NexoraConfig> = {
  stuckThreshold: 5,
  noProgressWindow: 15,
  progressCheckInterval: 15,
};

export function nexoraConfig(given: object, base: object = {}): NexoraConfig {
  const defaults = readConfig(fields, base);
  const adjusted = Object.fromEntries(
    Object.entries(fields).map(([key, field]) => [
      key,
      { ...field, fallback: defaults[key as keyof NexoraConfig] },
    ]),
  ) as Fields<NexoraConfig>;
  const config = readConfig(adjusted, given);
  needs(config, 'stuckThreshold', 'maxRecentErrors');
  needs(config, 'oscillationWindow', 'maxRecentActions');
  needs(config, 'noProgressWindow', 'maxRecentActions');
  return config;
}

type NumberKey = 'stuckThreshold' | 'oscillationWindow' | 'noProgressWindow' | `maxRecent${string}`;

/** A rule that looks further back than memory reaches would never fire, and nobody would notice. */
function needs(
  config: NexoraConfig,
  rule: NumberKey & keyof NexoraConfig,
  memory: NumberKey & keyof NexoraConfig,
): void {
  if (config[rule] <= config[memory]) return;
  throw new TypeError(
    `Tracker config: ${rule} is ${config[rule]}, so ${memory} must be at least that, and is ${config[memory]}.`,
  );
}
