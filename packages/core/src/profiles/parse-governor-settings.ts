import { upgradeGovernorSettings } from '@pawl/governor/upgrade';
import type { ErrorRemedy, GovernorSettings, Json, KnownRecovery, RuleThresholds } from '@pawl/governor';
import {
  createBooleanField,
  createChoiceField,
  createIntegerField,
  dayMilliseconds,
  isPlainObject,
} from '@pawl/governor/json';
import { formerPawlRules, pawlRules } from '@pawl/governor/rules';
import { createSessionTracker } from '@pawl/governor/session-tracker';
import { describeJsonProblem } from '../memory/memory-action.ts';
import { nameField, describeInputValue } from '../modes/define-chart.ts';
import {
  ProfileError,
  createObjectParser,
  createRecordParser,
  createListParser,
  createFieldParser,
  createNullableParser,
  createPartialParser,
  createTextParser,
  type ProfilePath,
  type ProfileParser,
} from './profile-parser.ts';
import { replaceConfigKeys } from './profiles.ts';

const governorPresets = ['pawl', 'none', 'nexora', 'nexora-lenient', 'savant'] as const;

const parseThreshold = createNullableParser(createFieldParser(createIntegerField(1, 1, 1_000_000)));

const parseThresholds: ProfileParser<Partial<RuleThresholds>> = createPartialParser<RuleThresholds>({
  advise: parseThreshold,
  block: parseThreshold,
  ask: parseThreshold,
  stop: parseThreshold,
});

const parseRuleChange: ProfileParser<Partial<RuleThresholds> | false> = (value, path) =>
  value === false ? false : parseThresholds(value, path);

const remedyParsers: {
  readonly [Do in ErrorRemedy['do']]: ProfileParser<Extract<ErrorRemedy, { readonly do: Do }>>;
} = {
  run: createObjectParser({
    do: createFieldParser(createChoiceField('run', ['run'])),
    tool: createFieldParser(nameField),
    args: parseRemedyArguments,
  }),
  wait: createObjectParser({
    do: createFieldParser(createChoiceField('wait', ['wait'])),
    ms: createFieldParser(createIntegerField(1, 1, dayMilliseconds)),
  }),
  ask: createObjectParser({ do: createFieldParser(createChoiceField('ask', ['ask'])) }),
  block: createObjectParser({ do: createFieldParser(createChoiceField('block', ['block'])) }),
};

const parseRemedy: ProfileParser<ErrorRemedy> = (value, path) => {
  const kind = isPlainObject(value) ? value['do'] : undefined;
  if (kind === 'run' || kind === 'wait' || kind === 'ask' || kind === 'block')
    return remedyParsers[kind](value, path);
  throw new ProfileError(
    path,
    `expects { do: "run" | "wait" | "ask" | "block", … }, and got ${describeInputValue(value)}.`,
  );
};

const parseRecovery: ProfileParser<KnownRecovery> = createObjectParser<KnownRecovery>({
  id: createFieldParser(nameField),
  pattern: parsePattern,
  advice: createTextParser(1, 2_000),
  remedy: parseRemedy,
});

const parseGovernorParts: ProfileParser<Partial<GovernorSettings>> = createPartialParser<GovernorSettings>({
  preset: createFieldParser(createChoiceField('pawl', governorPresets)),
  config: parseGovernorConfig,
  rules: createRecordParser(
    [...new Set([...pawlRules, ...formerPawlRules])].map(({ id }) => id),
    parseRuleChange,
  ),
  recoveries: createListParser(parseRecovery, 100),
  attended: createFieldParser(createBooleanField(true)),
});

/**
 * Parses a profile's governor settings on top of the earlier ones. Another preset resets the rules and the
 * configuration, because they belong to a preset; `recoveries` and `attended` stay.
 */
export function parseGovernorSettings(
  value: unknown,
  path: ProfilePath,
  before: GovernorSettings,
): GovernorSettings {
  const changes = parseGovernorParts(isPlainObject(value) ? upgradeGovernorSettings(value) : value, path);
  const isSamePreset = changes.preset === undefined || changes.preset === before.preset;
  const base: GovernorSettings = isSamePreset ? before : { ...before, rules: {}, config: {} };
  const { config: configBefore = {}, ...rest } = base;
  const config = replaceConfigKeys(configBefore, changes.config ?? {});
  const { config: _, ...others } = changes;
  const merged: GovernorSettings = {
    ...rest,
    ...others,
    rules: { ...base.rules, ...changes.rules },
    ...(Object.keys(config).length > 0 && { config }),
  };
  checkGovernorSettings(merged, path);
  return merged;
}

function checkGovernorSettings(governor: GovernorSettings, path: ProfilePath): void {
  if (governor.preset !== 'pawl' && Object.keys(governor.rules).length > 0)
    throw new ProfileError(
      [...path, 'rules'],
      `rules apply only to the preset pawl, and the preset is ${governor.preset}. Use config instead, or remove rules.`,
    );
  try {
    // Creating a session would report the same error, only later.
    createSessionTracker(governor, 0);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ProfileError([...path, 'config'], error.message);
  }
}

type GovernorConfig = { readonly [key: string]: Json };

function parseGovernorConfig(value: unknown, path: ProfilePath): GovernorConfig {
  const problem = describeJsonProblem(value);
  if (!isPlainObject(value) || problem !== null)
    throw new ProfileError(
      path,
      `expects a plain JSON object, and got ${problem ?? describeInputValue(value)}.`,
    );
  return value as GovernorConfig;
}

/** An invalid pattern would silently match nothing. */
function parsePattern(value: unknown, path: ProfilePath): string {
  const source = createTextParser(1, 1_000)(value, path);
  try {
    new RegExp(source, 'i').test('');
    return source;
  } catch (error) {
    throw new ProfileError(path, error instanceof Error ? `${error.message}.` : String(error));
  }
}

function parseRemedyArguments(value: unknown, path: ProfilePath): { readonly [name: string]: string } {
  if (!isPlainObject(value))
    throw new ProfileError(path, `expects an object, and got ${describeInputValue(value)}.`);
  const names = Object.keys(value);
  if (names.length > 100)
    throw new ProfileError(path, `expects up to 100 arguments, and got ${names.length}.`);
  return Object.fromEntries(
    names.map((each) => [each, createTextParser(0, 20_000)(value[each], [...path, each])]),
  );
}
