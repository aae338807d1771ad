import type { GovernorSettings } from '../../governor-settings.ts';
import {
  createBooleanField,
  isPlainObject,
  createNameListField,
  createIntegerField,
  type ConfigField,
} from '../../config-field.ts';
import { parseTrackerConfig } from '../tracker-config.ts';

export type PawlConfig = {
  /** Whether rules produce verdicts; events are recorded either way. */
  readonly enable: boolean;
  /** Overrides for single rules: other thresholds, or false to disable a rule. */
  readonly rules: GovernorSettings['rules'];
  /** Read-only tools. */
  readonly readTools: readonly string[];
  readonly progressCallbackInterval: number;
};

export function parsePawlConfig(given: object): PawlConfig {
  return parseTrackerConfig<PawlConfig>(
    {
      enable: createBooleanField(true),
      rules: ruleChangesField,
      readTools: createNameListField(['view', 'ls', 'grep', 'read', 'search']),
      progressCallbackInterval: createIntegerField(10, 1),
    },
    given,
  );
}

const thresholdLevels: readonly string[] = ['advise', 'refuse', 'ask', 'finish'];

const ruleChangesField: ConfigField<PawlConfig['rules']> = {
  fallback: {},
  expects: `false or numbers for ${thresholdLevels.join(', ')} by the id of a rule, such as { "no-progress": { "advise": 20 } }`,
  accepts: (value): value is PawlConfig['rules'] =>
    isPlainObject(value) && Object.values(value).every(isRuleChange),
};

function isRuleChange(change: unknown): boolean {
  if (change === false) return true;
  return (
    isPlainObject(change) &&
    Object.entries(change).every(([level, at]) => thresholdLevels.includes(level) && isThreshold(at))
  );
}

function isThreshold(at: unknown): boolean {
  return at === null || (typeof at === 'number' && Number.isFinite(at) && at > 0);
}
