import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSession, defaultSettings } from '@pawl/core';
import { memorySettings } from '@pawl/core/memory';
import { modeCharts } from '@pawl/core/modes';
import { findProfile, builtInProfiles, type Profile } from '@pawl/core/profiles';
import { ProfileError, parseProfile } from '../../src/profiles/parse-profile.ts';

/** A profile as it would be written down: the settings beside the name. */
function flattenProfile({ settings, ...rest }: Profile): object {
  return { ...rest, ...settings };
}

function parseProfileSettings(written: object): Profile['settings'] {
  return parseProfile({ name: 'mine', ...written }).settings;
}

function catchProfileError(value: unknown): { readonly path: readonly unknown[]; readonly message: string } {
  try {
    parseProfile(value);
  } catch (error) {
    expect(error).toBeInstanceOf(ProfileError);
    const { path, message } = error as ProfileError;
    expect(message).not.toContain('\n');
    return { path, message };
  }
  throw new Error('the profile was read');
}

const twoStateChart = {
  name: 'two',
  initial: 'a',
  states: [
    { name: 'a', next: ['b'] },
    { name: 'b', terminal: true },
  ],
};

describe('parseProfile', () => {
  it.each(builtInProfiles)('parses $name unchanged, under another name', (profile) => {
    const renamed = { ...profile, name: 'mine' };
    expect(parseProfile(JSON.parse(JSON.stringify(flattenProfile(renamed))))).toEqual(renamed);
  });

  it.each(builtInProfiles)('copies $name from a name alone', ({ name, settings, protocol, terminal }) => {
    expect(parseProfile({ name: 'mine', extends: name })).toEqual({
      name: 'mine',
      description: '',
      settings,
      protocol,
      terminal,
    });
  });

  it('requires only a name, which changes no setting', () => {
    expect(parseProfile({ name: 'mine' })).toEqual({
      name: 'mine',
      description: '',
      settings: {},
      protocol: 'native',
      terminal: ['halted', 'shuttingDown'],
    });
  });

  it('returns settings that a session accepts, as plain JSON', () => {
    const { settings } = parseProfile({
      name: 'mine',
      extends: 'lkj',
      chart: twoStateChart,
      governor: { preset: 'savant' },
    });
    expect(JSON.parse(JSON.stringify(settings))).toStrictEqual(settings);
    expect(createSession({ id: 's', at: 0, settings }).mode?.state).toBe('a');
  });

  it('accepts every setting', () => {
    const all = { ...defaultSettings, chart: twoStateChart, memory: 'lkj', budgets: { cost: 2.5 } };
    expect(Object.keys(parseProfileSettings(all)).toSorted()).toEqual(
      Object.keys(defaultSettings).toSorted(),
    );
  });

  it('accepts a chart by name, inline, or null', () => {
    expect(parseProfileSettings({ chart: 'lkj1' }).chart).toEqual(modeCharts.lkj1);
    expect(parseProfileSettings({ chart: twoStateChart }).chart?.states.map(({ name }) => name)).toEqual([
      'a',
      'b',
    ]);
    expect(parseProfileSettings({ extends: 'savant', chart: null }).chart).toBeNull();
  });

  it('accepts memory settings by name, or changes to them', () => {
    expect(parseProfileSettings({ memory: 'lkj1' }).memory).toEqual(memorySettings.lkj1);
    expect(parseProfileSettings({ extends: 'lkj', memory: null }).memory).toBeNull();
    const changed = parseProfileSettings({
      extends: 'lkj',
      memory: {
        pagingLimit: { maxTokens: 512 },
        logs: { think: { maxEntries: 3 } },
        actions: ['storage_load'],
      },
    }).memory;
    expect(changed).toEqual({
      ...memorySettings.lkj,
      pagingLimit: { enable: true, maxTokens: 512 },
      logs: { ...memorySettings.lkj.logs, think: { ...memorySettings.lkj.logs.think, maxEntries: 3 } },
      actions: ['storage_load'],
    });
  });

  it('completes budgets from the profile it extends', () => {
    expect(parseProfileSettings({ extends: 'lkj', budgets: { toolCalls: 5 } }).budgets).toEqual({
      modelCalls: 1_000,
      toolCalls: 5,
      tokens: null,
      cost: null,
      wallMs: null,
    });
    expect(
      parseProfileSettings({ extends: 'lkj', budgets: { modelCalls: null } }).budgets?.modelCalls,
    ).toBeNull();
    expect(parseProfileSettings({ extends: 'lkj', budgets: null }).budgets).toBeNull();
  });

  it('changes single rules and keeps the others', () => {
    const rules = { 'same-query': { advise: 2 }, waiting: false };
    expect(parseProfileSettings({ extends: 'pawl', governor: { rules } }).governor).toEqual({
      preset: 'pawl',
      rules,
    });
  });

  it('changes single keys of a configuration, in either spelling', () => {
    const { governor } = parseProfileSettings({
      extends: 'savant',
      governor: { config: { search_tools: ['look'], repeatedQuery: 3 } },
    });
    expect(governor).toEqual({
      preset: 'savant',
      rules: {},
      config: { search_tools: ['look'], repeatedQuery: 3 },
    });
  });

  it('resets rules and config with another preset, and keeps the other settings', () => {
    const recoveries = [{ id: 'x', pattern: 'x', advice: 'X.', remedy: { do: 'wait', ms: 5 } }];
    const { governor } = parseProfileSettings({
      extends: 'savant',
      governor: { preset: 'nexora', attended: false, recoveries },
    });
    expect(governor).toEqual({ preset: 'nexora', rules: {}, attended: false, recoveries });
    const other = parseProfileSettings({ extends: 'savant', governor: { preset: 'none' } }).governor;
    expect(other).toEqual({ preset: 'none', rules: {} });
    expect(findProfile('savant')?.settings.governor?.config).toBeDefined();
  });
});

describe('an invalid profile', () => {
  it.each<readonly [unknown, readonly (string | number)[], RegExp]>([
    [null, [], /^The profile: expected an object, got null\.$/],
    [[], [], /expected an object, got an array/],
    ['pawl', [], /expected an object, got "pawl"/],
    [{}, ['name'], /^The profile, at name: missing; expected a string\.$/],
    [{ name: 'pawl' }, ['name'], /pawl is the name of a built-in profile/],
    [{ name: ' x' }, ['name'], /expected a name/],
    [{ name: 'x', nmae: 1 }, ['nmae'], /unknown key "nmae"; did you mean name\?/],
    [{ name: 'x', wheels: 1 }, ['wheels'], /unknown key "wheels"; the keys are name, description/],
    [JSON.parse('{"name": "x", "__proto__": {}}'), ['__proto__'], /unknown key "__proto__"/],
    [{ name: 'x', extends: 'toString' }, ['extends'], /expected one of "pawl", "loom", "nexora", "savant"/],
    [{ name: 'x', extends: { name: 'pawl' } }, ['extends'], /got an object/],
    [{ name: 'x', protocol: 'yaml' }, ['protocol'], /expected one of "native", "json", "xml", got "yaml"/],
    [{ name: 'x', terminal: ['done'] }, ['terminal', 0], /expected one of "halted", "shuttingDown"/],
    [{ name: 'x', maxRetries: 1.5 }, ['maxRetries'], /expected a whole number, got 1\.5/],
    [{ name: 'x', retryBaseMs: NaN }, ['retryBaseMs'], /expected a number, got NaN/],
    [{ name: 'x', mutatingTools: ['a', 'a'] }, ['mutatingTools'], /expected a list of unique names/],
    [
      { name: 'x', onInvalidEvent: 'crash' },
      ['onInvalidEvent'],
      /expected one of "ignore", "refuse", "reset"/,
    ],
    [
      { name: 'x', chart: 'lkj2' },
      ['chart'],
      /there is no chart "lkj2"\. The built-in charts are savant, lkj, lkj1, loop/,
    ],
    [
      { name: 'x', chart: { ...twoStateChart, initial: 'c' } },
      ['chart', 'initial'],
      /^The profile, at chart\.initial: there is no state "c"/,
    ],
    [{ name: 'x', chart: {} }, ['chart', 'name'], /^The profile, at chart\.name: missing; expected a string/],
    [
      { name: 'x', memory: 'big' },
      ['memory'],
      /there are no memory settings named "big"\. The built-in ones are pawl, lkj/,
    ],
    [
      { name: 'x', memory: { hardLimit: { max: 1 } } },
      ['memory', 'hardLimit', 'max'],
      /unknown key "max"; the keys are enable, maxTokens/,
    ],
    [
      { name: 'x', memory: { actions: ['fly'] } },
      ['memory', 'actions', 0],
      /expected one of "working_memory_add"/,
    ],
    [
      { name: 'x', memory: { logs: { command: { keyPrefix: 'think_log_' } } } },
      ['memory', 'logs', 'command', 'keyPrefix'],
      /another log already has the prefix "think_log_"/,
    ],
    [
      { name: 'x', budgets: { steps: 5 } },
      ['budgets', 'steps'],
      /unknown key "steps"; the keys are modelCalls/,
    ],
    [{ name: 'x', budgets: { modelCalls: 0 } }, ['budgets', 'modelCalls'], /expected at least 1, got 0/],
    [{ name: 'x', budgets: { cost: -1 } }, ['budgets', 'cost'], /expected a number above 0/],
    [
      { name: 'x', governor: { preset: 'strict' } },
      ['governor', 'preset'],
      /expected one of "pawl", "none", "nexora"/,
    ],
    [
      { name: 'x', governor: { rules: { 'same-qery': false } } },
      ['governor', 'rules', 'same-qery'],
      /unknown key "same-qery"; did you mean same-query\?/,
    ],
    [
      { name: 'x', governor: { rules: { waiting: { stop: 0 } } } },
      ['governor', 'rules', 'waiting', 'stop'],
      /expected at least 1, got 0/,
    ],
    [
      { name: 'x', governor: { rules: { waiting: true } } },
      ['governor', 'rules', 'waiting'],
      /expected false, or an object with advise/,
    ],
    [
      { name: 'x', governor: { preset: 'savant', rules: { waiting: false } } },
      ['governor', 'rules'],
      /rules apply only to the preset pawl, and the preset is savant/,
    ],
    [{ name: 'x', governor: { config: { a: 1 } } }, ['governor', 'config'], /pawl is changed with rules/],
    [
      { name: 'x', governor: { preset: 'nexora', config: { stuck_threshold: 'low' } } },
      ['governor', 'config'],
      /stuck_threshold expects a whole number/,
    ],
    [
      {
        name: 'x',
        governor: { recoveries: [{ id: 'a', pattern: '(', advice: 'b', remedy: { do: 'ask' } }] },
      },
      ['governor', 'recoveries', 0, 'pattern'],
      /Invalid regular expression/,
    ],
    [
      { name: 'x', governor: { recoveries: [{ id: 'a', pattern: 'b', remedy: { do: 'ask' } }] } },
      ['governor', 'recoveries', 0, 'advice'],
      /missing; expected a string/,
    ],
    [
      {
        name: 'x',
        governor: { recoveries: [{ id: 'a', pattern: 'b', advice: 'c', remedy: { do: 'pray' } }] },
      },
      ['governor', 'recoveries', 0, 'remedy', 'do'],
      /expected one of "run", "wait", "ask", "block", got "pray"/,
    ],
  ])('is rejected with the location of the error: %j', (value, path, message) => {
    const problem = catchProfileError(value);
    expect(problem.path).toEqual(path);
    expect(problem.message).toMatch(message);
  });

  it('throws only that one error, for any input', () => {
    const keys = fc.constantFrom(
      'name',
      'extends',
      'chart',
      'memory',
      'governor',
      'budgets',
      'protocol',
      '__proto__',
    );
    const value = fc.oneof(
      fc.anything(),
      fc.constantFrom('pawl', 'lkj', { preset: 'savant' }, { rules: {} }),
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.dictionary(keys, value)), (input) => {
        try {
          const { settings } = parseProfile(input);
          expect(JSON.parse(JSON.stringify(settings))).toStrictEqual(settings);
        } catch (error) {
          expect(error).toBeInstanceOf(ProfileError);
        }
      }),
    );
  });
});

describe('settings with older names', () => {
  it('set the same thresholds and remedies', () => {
    const remedy = { id: 'x', pattern: 'y', advice: 'z', remedy: { do: 'refuse' } };
    const old = { rules: { waiting: { refuse: 3, finish: 9 }, chanting: false }, recoveries: [remedy] };
    expect(parseProfile({ name: 'mine', governor: old }).settings.governor).toEqual({
      preset: 'pawl',
      rules: { waiting: { block: 3, stop: 9 }, 'repetition-loop': false },
      recoveries: [{ ...remedy, remedy: { do: 'block' } }],
    });
  });

  it('are rejected next to the current name', () => {
    expect(() => parseProfileSettings({ governor: { rules: { waiting: { refuse: 3, block: 3 } } } })).toThrow(
      'unknown key "refuse"',
    );
    const both = { chanting: false, 'repetition-loop': false };
    expect(() => parseProfileSettings({ governor: { rules: both } })).toThrow('unknown key "chanting"');
  });
});
