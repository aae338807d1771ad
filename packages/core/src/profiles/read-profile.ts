import type { Budgets } from '../governor/budget.ts';
import { memorySettings, type MemorySettings } from '../memory/settings.ts';
import { ChartError } from '../modes/chart-error.ts';
import { findModeChart, modeCharts } from '../modes/charts/built-in.ts';
import { readChart } from '../modes/define-chart.ts';
import { name, names, shown } from '../modes/fields.ts';
import type { ModeChart } from '../modes/mode-chart.ts';
import { defaultSettings, type GovernorSettings, type Settings } from '../settings.ts';
import { dayMs, flag, isObject, oneOf, wholeNumber } from '../field.ts';
import { findProfile, profiles, type Profile } from './profiles.ts';
import { ProfileError, type ProfilePath } from './profile-error.ts';
import { readGovernor } from './read-governor.ts';
import { readMemory } from './read-memory.ts';
import { list, one, orNull, some, text, type Reader } from './reader.ts';

/** A profile as people write it: the settings stand beside its name. `extends` is the profile it changes. */
type Written = Settings & Omit<Profile, 'settings'> & { readonly extends: string };

const milliseconds = one(wholeNumber(0, 0, 30 * dayMs));
const count = orNull(one(wholeNumber(1, 1, 1e12)));

const budgets: Reader<Partial<Budgets>> = some<Budgets>({
  modelCalls: count,
  toolCalls: count,
  tokens: count,
  cost: orNull(
    one({
      expects: 'a number above 0',
      accepts: (value): value is number => typeof value === 'number' && value > 0 && value < Infinity,
    }),
  ),
  wallMs: orNull(one(wholeNumber(1, 1, 30 * dayMs))),
});

const noBudgets: Budgets = { modelCalls: null, toolCalls: null, tokens: null, cost: null, wallMs: null };

/**
 * A profile from whatever came out of a file. What it leaves out is as in the profile it extends, or else as in
 * `defaultSettings`; that goes for the parts of the governor, the budgets and the memory as well. Throws one
 * `ProfileError` that says where it is wrong.
 */
export function readProfile(value: unknown): Profile {
  const base = baseOf(value);
  const written = readersOn({ ...defaultSettings, ...base?.settings })(value, []);
  const { name: own, description, protocol, terminal, extends: _, ...settings } = written;
  if (own === undefined)
    throw new ProfileError(['name'], 'it is missing. Say what the profile is to be called.');
  return {
    name: own,
    description: description ?? '',
    settings: { ...base?.settings, ...settings },
    protocol: protocol ?? base?.protocol ?? 'native',
    terminal: terminal ?? base?.terminal ?? ['halted', 'shuttingDown'],
  };
}

function baseOf(value: unknown): Profile | undefined {
  if (!isObject(value) || !Object.hasOwn(value, 'extends')) return undefined;
  const { extends: given } = value;
  const base = typeof given === 'string' ? findProfile(given) : undefined;
  if (base !== undefined) return base;
  throw new ProfileError(['extends'], `expects one of ${builtIn()}, and got ${shown(given)}.`);
}

/** A reader for every key there is; what it makes of some depends on what was `before`. */
function readersOn(before: Settings): Reader<Partial<Written>> {
  return some<Written>({
    name: ownName,
    description: text(0, 500),
    extends: text(1, 64),
    protocol: one(oneOf('native', ['native', 'json', 'xml'])),
    terminal: list(one(oneOf('halted', ['halted', 'shuttingDown'])), 2),
    maxRetries: one(wholeNumber(3, 0, 1_000)),
    retryBaseMs: milliseconds,
    retryMaxMs: milliseconds,
    retryAfterMaxMs: milliseconds,
    mutatingTools: one(names(0)),
    progressCheck: one(flag(true)),
    pageOnOverflow: one(flag(true)),
    compact: one(flag(false)),
    windowTokens: orNull(one(wholeNumber(100_000, 1_000, 1e9))),
    maxRecoveries: one(wholeNumber(3, 0, 1_000)),
    haltOnFailedPhase: one(flag(false)),
    governor: (value, path): GovernorSettings => readGovernor(value, path, before.governor),
    chart: orNull(readModes),
    memory: orNull((value, path): MemorySettings =>
      readMemory(value, path, before.memory ?? memorySettings.pawl),
    ),
    finishMs: orNull(milliseconds),
    budgets: orNull((value, path): Budgets => ({
      ...(before.budgets ?? noBudgets),
      ...budgets(value, path),
    })),
    onInvalidEvent: one(oneOf('ignore', ['ignore', 'refuse', 'reset'])),
  });
}

/** A log that says `pawl` must mean that profile. */
function ownName(value: unknown, path: ProfilePath): string {
  const own = one(name)(value, path);
  if (findProfile(own) === undefined) return own;
  throw new ProfileError(path, `${own} is the name of a profile that is built in. Choose another.`);
}

function readModes(value: unknown, path: ProfilePath): ModeChart {
  if (typeof value === 'string') {
    const found = findModeChart(value);
    if (found !== undefined) return found;
    const known = Object.keys(modeCharts).join(', ');
    throw new ProfileError(path, `there is no chart ${shown(value)}. There are ${known}, or write your own.`);
  }
  try {
    return readChart(value);
  } catch (error) {
    if (!(error instanceof ChartError)) throw error;
    const problem = error.message.replace(/^The chart(?:, at \S+)?: /, '');
    throw new ProfileError([...path, ...error.path], problem);
  }
}

function builtIn(): string {
  return profiles.map((each) => each.name).join(', ');
}
