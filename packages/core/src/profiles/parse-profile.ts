import { defaultSettings, type BudgetLimits, type SessionSettings } from '../session/settings.ts';
import {
  memorySettings,
  createLogPrefixField,
  findLogWithSharedPrefix,
  type MemorySettings,
  type LogSettings,
  type TokenLimit,
} from '../memory/settings.ts';
import {
  ChartError,
  parseChart,
  nameField,
  createUniqueNamesField,
  describeInputValue,
} from '../modes/define-chart.ts';
import { findModeChart, modeCharts } from '../modes/charts/built-in.ts';
import type { ModeChart } from '../modes/mode-chart.ts';
import type { GovernorSettings } from '@pawl/governor';
import {
  createBooleanField,
  createChoiceField,
  createIntegerField,
  dayMilliseconds,
  isPlainObject,
} from '@pawl/governor/json';
import { findProfile, builtInProfiles, type Profile } from './profiles.ts';
import {
  ProfileError,
  createListParser,
  createFieldParser,
  createNullableParser,
  createPartialParser,
  createTextParser,
  type ProfilePath,
  type ProfileParser,
} from './profile-parser.ts';
import { parseGovernorSettings } from './parse-governor-settings.ts';
import { memoryActionTypes } from '../memory/memory-action.ts';

/** A profile document: settings are top-level keys beside its name. `extends` names the profile it changes. */
type ProfileDocument = SessionSettings & Omit<Profile, 'settings'> & { readonly extends: string };

const parseWaitMilliseconds = createFieldParser(createIntegerField(0, 0, 30 * dayMilliseconds));
const parseBudgetCount = createNullableParser(createFieldParser(createIntegerField(1, 1, 1e12)));

const parseBudgets: ProfileParser<Partial<BudgetLimits>> = createPartialParser<BudgetLimits>({
  modelCalls: parseBudgetCount,
  toolCalls: parseBudgetCount,
  tokens: parseBudgetCount,
  cost: createNullableParser(
    createFieldParser({
      expects: 'a number above 0',
      accepts: (value): value is number => typeof value === 'number' && value > 0 && value < Infinity,
    }),
  ),
  wallMs: createNullableParser(createFieldParser(createIntegerField(1, 1, 30 * dayMilliseconds))),
});

const unlimitedBudgets: BudgetLimits = {
  modelCalls: null,
  toolCalls: null,
  tokens: null,
  cost: null,
  wallMs: null,
};

/**
 * Parses a profile from untrusted input. Omitted settings come from the profile it extends, otherwise from
 * `defaultSettings`; this also applies to parts of the governor, budget and memory settings. Throws one `ProfileError`
 * that says what is wrong and where.
 */
export function parseProfile(value: unknown): Profile {
  const base = findBaseProfile(value);
  const parsed = createProfileParser({ ...defaultSettings, ...base?.settings })(value, []);
  const { name, description, protocol, terminal, extends: _, ...settings } = parsed;
  if (name === undefined) throw new ProfileError(['name'], 'a name is required.');
  return {
    name,
    description: description ?? '',
    settings: { ...base?.settings, ...settings },
    protocol: protocol ?? base?.protocol ?? 'native',
    terminal: terminal ?? base?.terminal ?? ['halted', 'shuttingDown'],
  };
}

function findBaseProfile(value: unknown): Profile | undefined {
  if (!isPlainObject(value) || !Object.hasOwn(value, 'extends')) return undefined;
  const { extends: baseName } = value;
  const base = typeof baseName === 'string' ? findProfile(baseName) : undefined;
  if (base !== undefined) return base;
  throw new ProfileError(
    ['extends'],
    `expects one of ${listBuiltInProfiles()}, and got ${describeInputValue(baseName)}.`,
  );
}

/** Creates the parser for all keys; some depend on the settings `before`. */
function createProfileParser(before: SessionSettings): ProfileParser<Partial<ProfileDocument>> {
  return createPartialParser<ProfileDocument>({
    name: parseProfileName,
    description: createTextParser(0, 500),
    extends: createTextParser(1, 64),
    protocol: createFieldParser(createChoiceField('native', ['native', 'json', 'xml'])),
    terminal: createListParser(createFieldParser(createChoiceField('halted', ['halted', 'shuttingDown'])), 2),
    maxRetries: createFieldParser(createIntegerField(3, 0, 1_000)),
    retryBaseMs: parseWaitMilliseconds,
    retryMaxMs: parseWaitMilliseconds,
    retryAfterMaxMs: parseWaitMilliseconds,
    mutatingTools: createFieldParser(createUniqueNamesField(0)),
    progressCheck: createFieldParser(createBooleanField(true)),
    pageOnOverflow: createFieldParser(createBooleanField(true)),
    compact: createFieldParser(createBooleanField(false)),
    windowTokens: createNullableParser(createFieldParser(createIntegerField(100_000, 1_000, 1e9))),
    maxRecoveries: createFieldParser(createIntegerField(3, 0, 1_000)),
    haltOnFailedPhase: createFieldParser(createBooleanField(false)),
    governor: (value, path): GovernorSettings => parseGovernorSettings(value, path, before.governor),
    chart: createNullableParser(parseProfileChart),
    memory: createNullableParser((value, path): MemorySettings =>
      parseMemorySettings(value, path, before.memory ?? memorySettings.pawl),
    ),
    finishMs: createNullableParser(parseWaitMilliseconds),
    budgets: createNullableParser((value, path): BudgetLimits => ({
      ...(before.budgets ?? unlimitedBudgets),
      ...parseBudgets(value, path),
    })),
    onInvalidEvent: createFieldParser(createChoiceField('ignore', ['ignore', 'refuse', 'reset'])),
  });
}

/** Rejects built-in names, because the profile name in a log must be unambiguous. */
function parseProfileName(value: unknown, path: ProfilePath): string {
  const name = createFieldParser(nameField)(value, path);
  if (findProfile(name) === undefined) return name;
  throw new ProfileError(path, `${name} is the name of a built-in profile. Choose another name.`);
}

function parseProfileChart(value: unknown, path: ProfilePath): ModeChart {
  if (typeof value === 'string') {
    const chart = findModeChart(value);
    if (chart !== undefined) return chart;
    const known = Object.keys(modeCharts).join(', ');
    throw new ProfileError(
      path,
      `there is no chart ${describeInputValue(value)}. The built-in charts are ${known}; a chart can also be written inline.`,
    );
  }
  try {
    return parseChart(value);
  } catch (error) {
    if (!(error instanceof ChartError)) throw error;
    const problem = error.message.replace(/^The chart(?:, at \S+)?: /, '');
    throw new ProfileError([...path, ...error.path], problem);
  }
}

function listBuiltInProfiles(): string {
  return builtInProfiles.map((each) => each.name).join(', ');
}

const parseTokenLimit: ProfileParser<Partial<TokenLimit>> = createPartialParser<TokenLimit>({
  enable: createFieldParser(createBooleanField(true)),
  maxTokens: createFieldParser(createIntegerField(1, 1, 1e9)),
});

const parseLogSettings: ProfileParser<Partial<LogSettings>> = createPartialParser<LogSettings>({
  enable: createFieldParser(createBooleanField(true)),
  maxEntries: createFieldParser(createIntegerField(1, 1, 999)),
  keyPrefix: createFieldParser(createLogPrefixField('')),
});

type ParsedMemorySettings = {
  readonly pagingLimit: Partial<TokenLimit>;
  readonly hardLimit: Partial<TokenLimit>;
  readonly logs: { readonly think?: object; readonly evaluation?: object; readonly command?: object };
  readonly actions: MemorySettings['actions'];
  readonly keepSearchResults: boolean;
};

const parseMemoryParts: ProfileParser<Partial<ParsedMemorySettings>> =
  createPartialParser<ParsedMemorySettings>({
    pagingLimit: parseTokenLimit,
    hardLimit: parseTokenLimit,
    logs: createPartialParser({
      think: parseLogSettings,
      evaluation: parseLogSettings,
      command: parseLogSettings,
    }),
    actions: createListParser(
      createFieldParser(createChoiceField('storage_load', memoryActionTypes)),
      memoryActionTypes.length,
    ),
    keepSearchResults: createFieldParser(createBooleanField(false)),
  });

/** Parses a profile's memory settings: the name of built-in settings, or changes to the earlier ones. */
function parseMemorySettings(value: unknown, path: ProfilePath, before: MemorySettings): MemorySettings {
  if (typeof value === 'string') return findMemorySettings(value, path);
  const { pagingLimit, hardLimit, logs = {}, ...rest } = parseMemoryParts(value, path);
  const settings: MemorySettings = {
    ...before,
    ...rest,
    pagingLimit: { ...before.pagingLimit, ...pagingLimit },
    hardLimit: { ...before.hardLimit, ...hardLimit },
    logs: {
      think: { ...before.logs.think, ...logs.think },
      evaluation: { ...before.logs.evaluation, ...logs.evaluation },
      command: { ...before.logs.command, ...logs.command },
    },
  };
  checkLogPrefixes(settings, path);
  return settings;
}

function findMemorySettings(name: string, path: ProfilePath): MemorySettings {
  const match = Object.entries(memorySettings).find(([each]) => each === name);
  if (match !== undefined) return match[1];
  const names = Object.keys(memorySettings).join(', ');
  throw new ProfileError(
    path,
    `there are no memory settings named ${describeInputValue(name)}. The built-in ones are ${names}.`,
  );
}

function checkLogPrefixes(settings: MemorySettings, path: ProfilePath): void {
  const name = findLogWithSharedPrefix(settings);
  if (name === undefined) return;
  throw new ProfileError(
    [...path, 'logs', name, 'keyPrefix'],
    `another log already has the prefix ${describeInputValue(settings.logs[name].keyPrefix)}. Each log needs its own prefix.`,
  );
}
