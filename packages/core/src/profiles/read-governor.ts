import type { Recovery, Remedy } from '../governor/recovery.ts';
import type { Thresholds } from '../governor/rule.ts';
import { pawlRules } from '../governor/rules/pawl.ts';
import type { Json } from '../json.ts';
import { jsonFault } from '../memory/json-fault.ts';
import { name, shown } from '../modes/fields.ts';
import type { GovernorSettings } from '../settings.ts';
import { dayMs, flag, isObject, oneOf, wholeNumber } from '../field.ts';
import { trackerFor } from '../trackers/in-session.ts';
import { ProfileError, type ProfilePath } from './profile-error.ts';
import { all, byName, list, one, orNull, some, text, type Reader } from './reader.ts';

const presets = ['pawl', 'none', 'nexora', 'nexora-lenient', 'savant'] as const;

const threshold = orNull(one(wholeNumber(1, 1, 1_000_000)));

const thresholds: Reader<Partial<Thresholds>> = some<Thresholds>({
  advise: threshold,
  refuse: threshold,
  ask: threshold,
  finish: threshold,
});

const change: Reader<Partial<Thresholds> | false> = (value, path) =>
  value === false ? false : thresholds(value, path);

const remedies: { readonly [Do in Remedy['do']]: Reader<Extract<Remedy, { readonly do: Do }>> } = {
  run: all({ do: one(oneOf('run', ['run'])), tool: one(name), args: textsByName }),
  wait: all({ do: one(oneOf('wait', ['wait'])), ms: one(wholeNumber(1, 1, dayMs)) }),
  ask: all({ do: one(oneOf('ask', ['ask'])) }),
  refuse: all({ do: one(oneOf('refuse', ['refuse'])) }),
};

const remedy: Reader<Remedy> = (value, path) => {
  const kind = isObject(value) ? value['do'] : undefined;
  if (kind === 'run' || kind === 'wait' || kind === 'ask' || kind === 'refuse')
    return remedies[kind](value, path);
  throw new ProfileError(
    path,
    `expects { do: "run" | "wait" | "ask" | "refuse", … }, and got ${shown(value)}.`,
  );
};

const recovery: Reader<Recovery> = all<Recovery>({ id: one(name), pattern, advice: text(1, 2_000), remedy });

const readParts: Reader<Partial<GovernorSettings>> = some<GovernorSettings>({
  preset: one(oneOf('pawl', presets)),
  config,
  rules: byName(
    pawlRules.map(({ id }) => id),
    change,
  ),
  recoveries: list(recovery, 100),
  attended: one(flag(true)),
});

/**
 * What a profile says of the governor, on top of what it had. With another preset the rules and the configuration start
 * afresh, since they belong to a preset; what helps against errors and who is there stays.
 */
export function readGovernor(value: unknown, path: ProfilePath, before: GovernorSettings): GovernorSettings {
  const given = readParts(value, path);
  const isSame = given.preset === undefined || given.preset === before.preset;
  const start: GovernorSettings = isSame ? before : { ...before, rules: {}, config: {} };
  const { config: configBefore = {}, ...rest } = start;
  const both = mergedConfig(configBefore, given.config ?? {});
  const { config: _, ...others } = given;
  const merged: GovernorSettings = {
    ...rest,
    ...others,
    rules: { ...start.rules, ...given.rules },
    ...(Object.keys(both).length > 0 && { config: both }),
  };
  checkGovernor(merged, path);
  return merged;
}

type Config = { readonly [key: string]: Json };

/** A key may be spelt in two ways, and what replaces a value need not be spelt as that was. */
function mergedConfig(before: Config, given: Config): Config {
  const replaced = new Set(Object.keys(given).map(plain));
  const kept = Object.entries(before).filter(([key]) => !replaced.has(plain(key)));
  return Object.fromEntries([...kept, ...Object.entries(given)]);
}

function plain(key: string): string {
  return key.replaceAll('_', '').toLowerCase();
}

function checkGovernor(governor: GovernorSettings, path: ProfilePath): void {
  if (governor.preset !== 'pawl' && Object.keys(governor.rules).length > 0)
    throw new ProfileError(
      [...path, 'rules'],
      `rules are those of the preset pawl, and this is ${governor.preset}. Change its config instead, or leave them out.`,
    );
  try {
    // Whoever makes a session of it would meet the same complaint, only later.
    trackerFor(governor, 0);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ProfileError([...path, 'config'], error.message);
  }
}

function config(value: unknown, path: ProfilePath): Config {
  const fault = jsonFault(value);
  if (!isObject(value) || fault !== null)
    throw new ProfileError(path, `expects an object of plain JSON, and got ${fault ?? shown(value)}.`);
  return value as Config;
}

/** A broken pattern would fit nothing, and nobody would notice. */
function pattern(value: unknown, path: ProfilePath): string {
  const source = text(1, 1_000)(value, path);
  try {
    new RegExp(source, 'i').test('');
    return source;
  } catch (error) {
    throw new ProfileError(path, error instanceof Error ? `${error.message}.` : String(error));
  }
}

function textsByName(value: unknown, path: ProfilePath): { readonly [name: string]: string } {
  if (!isObject(value)) throw new ProfileError(path, `expects an object, and got ${shown(value)}.`);
  const names = Object.keys(value);
  if (names.length > 100)
    throw new ProfileError(path, `expects up to 100 arguments, and got ${names.length}.`);
  return Object.fromEntries(names.map((each) => [each, text(0, 20_000)(value[each], [...path, each])]));
}
