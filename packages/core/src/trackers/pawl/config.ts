import type { GovernorSettings } from '../../settings.ts';
import { flag, isObject, names, wholeNumber, type Field } from '../../field.ts';
import { readConfig } from '../config.ts';

export type PawlConfig = {
  /** Whether anything is ever found; what happens is on record either way. */
  readonly enable: boolean;
  /** Changes to single rules: other thresholds, or false to leave a rule out. */
  readonly rules: GovernorSettings['rules'];
  /** Tools that change nothing. */
  readonly readTools: readonly string[];
  readonly progressCallbackInterval: number;
};

export function pawlConfig(given: object): PawlConfig {
  return readConfig<PawlConfig>(
    {
      enable: flag(true),
      rules,
      readTools: names(['view', 'ls', 'grep', 'read', 'search']),
      progressCallbackInterval: wholeNumber(10, 1),
    },
    given,
  );
}

const levels: readonly string[] = ['advise', 'refuse', 'ask', 'finish'];

const rules: Field<PawlConfig['rules']> = {
  fallback: {},
  expects: `false or numbers for ${levels.join(', ')} by the id of a rule, such as { "no-progress": { "advise": 20 } }`,
  accepts: (value): value is PawlConfig['rules'] => isObject(value) && Object.values(value).every(isChange),
};

function isChange(change: unknown): boolean {
  if (change === false) return true;
  return (
    isObject(change) && Object.entries(change).every(([level, at]) => levels.includes(level) && isAt(at))
  );
}

function isAt(at: unknown): boolean {
  return at === null || (typeof at === 'number' && Number.isFinite(at) && at > 0);
}
