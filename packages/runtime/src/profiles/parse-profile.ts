import { defaultSettings, type BudgetLimits, type SessionSettings } from '@pawl/core';
import { findLogWithSharedPrefix, memorySettings, type MemorySettings } from '@pawl/core/memory';
import { ChartError, defineChart, findModeChart, modeCharts, type ModeChart } from '@pawl/core/modes';
import { findProfile, replaceConfigKeys, type Profile } from '@pawl/core/profiles';
import { upgradeChart } from '@pawl/core/upgrade';
import type { GovernorSettings } from '@pawl/governor';
import { isPlainObject } from '@pawl/governor/json';
import { createSessionTracker } from '@pawl/governor/session-tracker';
import { upgradeGovernorSettings, upgradeProperty } from '@pawl/governor/upgrade';
import type { DataPath } from '../data-files/parse-data-file.ts';
import { formatIssuePath } from '../schema/explain.ts';
import { validateDocument } from '../data-files/validate-document.ts';
import { formatShortValue } from '../text/one-line.ts';
import {
  profileSchema,
  type GovernorDocument,
  type MemoryDocument,
  type ProfileDocument,
} from './profile-schema.ts';

/** An invalid profile. The message is one line: where, what was expected, and what was found. */
export class ProfileError extends TypeError {
  override readonly name = 'ProfileError';
  readonly path: DataPath;

  constructor(path: DataPath, problem: string) {
    super(`${path.length === 0 ? 'The profile' : `The profile, at ${formatIssuePath(path)}`}: ${problem}`);
    this.path = path;
  }
}

/**
 * Parses a profile from untrusted input. Omitted settings come from the profile it extends, otherwise from
 * `defaultSettings`; this also applies to parts of the governor, budget and memory settings. Throws one `ProfileError`
 * that says what is wrong and where.
 */
export function parseProfile(value: unknown): Profile {
  const parsed = validateDocument(profileSchema, isPlainObject(value) ? upgradeProfile(value) : value);
  if (!parsed.ok) throw new ProfileError(parsed.path, `${parsed.problem}.`);
  const { $schema: _, name, description = '', extends: baseName = '', ...changes } = parsed.value;
  if (findProfile(name) !== undefined)
    throw new ProfileError(['name'], `${name} is the name of a built-in profile. Choose another name.`);
  const base = findProfile(baseName) ?? emptyProfile;
  const { protocol = base.protocol, terminal = base.terminal, ...settings } = changes;
  return {
    name,
    description,
    settings: { ...base.settings, ...resolveSettings(settings, { ...defaultSettings, ...base.settings }) },
    protocol,
    terminal,
  };
}

/** What a profile that extends no other starts from. */
const emptyProfile = {
  settings: {},
  protocol: 'native',
  terminal: ['halted', 'shuttingDown'],
} satisfies Partial<Profile>;

/** Replaces the names of older releases. */
function upgradeProfile(profile: { readonly [key: string]: unknown }): object {
  return upgradeProperty(
    upgradeProperty(profile, 'governor', upgradeGovernorSettings),
    'chart',
    upgradeChart,
  );
}

type SettingChanges = Omit<
  ProfileDocument,
  '$schema' | 'name' | 'description' | 'extends' | 'protocol' | 'terminal'
>;

/** Resolves names, and completes each part of the settings from the settings `before`. */
function resolveSettings(
  { governor, chart, memory, budgets, ...rest }: SettingChanges,
  before: SessionSettings,
): Partial<SessionSettings> {
  return {
    ...rest,
    ...(governor !== undefined && { governor: mergeGovernorSettings(governor, before.governor) }),
    ...(chart !== undefined && { chart: chart === null ? null : resolveChart(chart) }),
    ...(memory !== undefined && {
      memory: memory === null ? null : resolveMemorySettings(memory, before.memory ?? memorySettings.pawl),
    }),
    ...(budgets !== undefined && {
      budgets: budgets === null ? null : { ...(before.budgets ?? unlimitedBudgets), ...budgets },
    }),
  };
}

const unlimitedBudgets: BudgetLimits = {
  modelCalls: null,
  toolCalls: null,
  tokens: null,
  cost: null,
  wallMs: null,
};

/**
 * Another preset resets the rules and the configuration, because they belong to a preset; `recoveries` and `attended`
 * stay.
 */
function mergeGovernorSettings(
  { config: configChanges = {}, ...changes }: GovernorDocument,
  before: GovernorSettings,
): GovernorSettings {
  const isSamePreset = changes.preset === undefined || changes.preset === before.preset;
  const base: GovernorSettings = isSamePreset ? before : { ...before, rules: {}, config: {} };
  const { config: configBefore = {}, ...rest } = base;
  const config = replaceConfigKeys(configBefore, configChanges);
  const merged: GovernorSettings = {
    ...rest,
    ...changes,
    rules: { ...base.rules, ...changes.rules },
    ...(Object.keys(config).length > 0 && { config }),
  };
  checkGovernorSettings(merged);
  return merged;
}

function checkGovernorSettings(governor: GovernorSettings): void {
  if (governor.preset !== 'pawl' && Object.keys(governor.rules).length > 0)
    throw new ProfileError(
      ['governor', 'rules'],
      `rules apply only to the preset pawl, and the preset is ${governor.preset}. Use config instead, or remove rules.`,
    );
  try {
    // Creating a session would report the same error, only later.
    createSessionTracker(governor, 0);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ProfileError(['governor', 'config'], error.message);
  }
}

function resolveChart(chart: NonNullable<ProfileDocument['chart']>): ModeChart {
  if (typeof chart === 'string') {
    const builtIn = findModeChart(chart);
    if (builtIn !== undefined) return builtIn;
    throw new ProfileError(
      ['chart'],
      `there is no chart ${formatShortValue(chart)}. The built-in charts are ${Object.keys(modeCharts).join(', ')}; a chart can also be written inline.`,
    );
  }
  try {
    return defineChart<string>(chart);
  } catch (error) {
    if (!(error instanceof ChartError)) throw error;
    throw new ProfileError(['chart', ...error.path], error.problem);
  }
}

function resolveMemorySettings(memory: MemoryDocument | string, before: MemorySettings): MemorySettings {
  if (typeof memory === 'string') return findMemorySettings(memory);
  const { pagingLimit, hardLimit, logs = {}, ...rest } = memory;
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
  checkLogPrefixes(settings);
  return settings;
}

function findMemorySettings(name: string): MemorySettings {
  const match = Object.entries(memorySettings).find(([each]) => each === name);
  if (match !== undefined) return match[1];
  throw new ProfileError(
    ['memory'],
    `there are no memory settings named ${formatShortValue(name)}. The built-in ones are ${Object.keys(memorySettings).join(', ')}.`,
  );
}

function checkLogPrefixes(settings: MemorySettings): void {
  const name = findLogWithSharedPrefix(settings);
  if (name === undefined) return;
  throw new ProfileError(
    ['memory', 'logs', name, 'keyPrefix'],
    `another log already has the prefix ${formatShortValue(settings.logs[name].keyPrefix)}. Each log needs its own prefix.`,
  );
}
