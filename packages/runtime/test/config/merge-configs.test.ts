import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { mergeConfigs } from '../../src/config/merge-configs.ts';
import { permissionModes, type PermissionMode } from '../../src/permission/modes.ts';

describe('mergeConfigs', () => {
  it('returns an empty configuration without layers', () => {
    expect(mergeThreeConfigs({}, {}, {})).toStrictEqual({});
  });

  it('prefers the command line over the project, and the project over the user', () => {
    expect(mergeThreeConfigs(createTextConfig('user'), {}, {})).toStrictEqual(createTextConfig('user'));
    expect(mergeThreeConfigs(createTextConfig('user'), createTextConfig('project'), {})).toStrictEqual(
      createTextConfig('project'),
    );
    expect(
      mergeThreeConfigs(createTextConfig('user'), createTextConfig('project'), createTextConfig('flags')),
    ).toStrictEqual(createTextConfig('flags'));
  });

  it('never uses a base URL meant for another model', () => {
    const user = { model: 'ollama:a', baseUrl: 'http://127.0.0.1:1' };
    expect(mergeThreeConfigs(user, { model: 'anthropic:b' }, {})).toStrictEqual({ model: 'anthropic:b' });
    expect(mergeThreeConfigs(user, {}, { model: 'anthropic:b' })).toStrictEqual({ model: 'anthropic:b' });
    expect(mergeThreeConfigs(user, { model: 'c', baseUrl: 'http://c' }, {})).toStrictEqual({
      model: 'c',
      baseUrl: 'http://c',
    });
    expect(mergeThreeConfigs(user, {}, { baseUrl: 'http://d' })).toStrictEqual({
      model: 'ollama:a',
      baseUrl: 'http://d',
    });
  });

  it('prefers the environment over files, and the command line over the environment', () => {
    const layers = {
      user: createTextConfig('user'),
      project: createTextConfig('project'),
      environment: createTextConfig('variable'),
    };
    expect(mergeConfigs(layers)).toStrictEqual(createTextConfig('variable'));
    expect(mergeConfigs({ ...layers, flags: createTextConfig('flags') })).toStrictEqual(
      createTextConfig('flags'),
    );
    const modes = { user: createModeConfig('read-only'), environment: createModeConfig('full-auto') };
    expect(mergeConfigs(modes).permission?.mode).toBe('full-auto');
    expect(mergeConfigs({ ...modes, flags: createModeConfig('ask') }).permission?.mode).toBe('ask');
  });

  it("uses the base URL of the environment only for self-hosted providers, so that no other provider's key is sent there", () => {
    const environment = { baseUrl: 'http://gpu' };
    const of = (model: string, more: Config = {}): string | undefined =>
      mergeConfigs({ user: { model, baseUrl: 'http://file' }, environment, ...more }).baseUrl;
    expect(of('ollama:a')).toBe('http://gpu');
    expect(of(' OpenAI-Compatible:a')).toBe('http://gpu');
    expect(of('anthropic:a')).toBe('http://file');
    const both = { model: 'openai:a', ...environment };
    expect(mergeConfigs({ environment: both })).toStrictEqual({ model: 'openai:a' });
    expect(mergeConfigs({ environment: both, flags: { model: 'vllm:b' } }).baseUrl).toBe('http://gpu');
    expect(mergeConfigs({ environment: both, flags: { baseUrl: 'http://mine' } }).baseUrl).toBe(
      'http://mine',
    );
  });

  it('merges the keys of other systems one by one', () => {
    const user = { agent: { max_retries: 2, state_machine: { stuck_threshold: 4, enable: true } } };
    const project = { agent: { state_machine: { stuck_threshold: 5 } } };
    expect(mergeConfigs({ user, project }).agent).toStrictEqual({
      max_retries: 2,
      state_machine: { stuck_threshold: 5, enable: true },
    });
  });

  it('lets a project tighten the permission mode, and only the user loosen it', () => {
    const mode = fc.option(fc.constantFrom(...permissionModes), { nil: undefined });
    fc.assert(
      fc.property(mode, mode, mode, (user, project, flags) => {
        const all = mergeThreeConfigs(
          createModeConfig(user),
          createModeConfig(project),
          createModeConfig(flags),
        ).permission?.mode;
        if (flags !== undefined) expect(all).toBe(flags);
        else
          expect(permissionModes.indexOf(all ?? 'ask')).toBeLessThanOrEqual(
            permissionModes.indexOf(user ?? 'ask'),
          );
        if (flags === undefined && project === 'read-only') expect(all).toBe('read-only');
      }),
    );
  });

  it('takes telemetry settings only from the user and the environment, and headers only with their endpoint', () => {
    const user = { telemetry: { otlp: 'https://ours', headers: { key: 'k' }, captureContent: true } };
    const project = { telemetry: { otlp: 'https://elsewhere', serviceName: 'x' } };
    expect(mergeConfigs({ user, project }).telemetry).toStrictEqual(user.telemetry);
    expect(mergeConfigs({ project })).toStrictEqual({});
    const environment = { telemetry: { otlp: 'https://here' } };
    expect(mergeConfigs({ user, environment }).telemetry).toStrictEqual({
      otlp: 'https://here',
      captureContent: true,
    });
    expect(mergeConfigs({ user, environment: { telemetry: { disabled: true } } }).telemetry).toStrictEqual({
      ...user.telemetry,
      disabled: true,
    });
  });

  it('turns project instructions off if the user or the project does', () => {
    const [on, off] = [{ projectInstructions: true }, { projectInstructions: false }];
    expect(mergeThreeConfigs(on, {}, {})).toStrictEqual(on);
    expect(mergeThreeConfigs(off, on, {})).toStrictEqual(off);
    expect(mergeThreeConfigs(on, off, {})).toStrictEqual(off);
  });

  it('uses the smaller of two budgets unless the command line sets one', () => {
    const user = { budgets: { modelCalls: 10, cost: 5 } };
    const project = { budgets: { modelCalls: 20, cost: 1, tokens: 7 } };
    expect(mergeThreeConfigs(user, project, {}).budgets).toStrictEqual({
      modelCalls: 10,
      tokens: 7,
      cost: 1,
    });
    const flags = { budgets: { modelCalls: 50, cost: null } };
    expect(mergeThreeConfigs(user, project, flags).budgets).toStrictEqual({
      modelCalls: 50,
      tokens: 7,
      cost: null,
    });
  });

  it("concatenates rules and hooks, the user's first", () => {
    const all = mergeThreeConfigs(
      createListConfig('user'),
      createListConfig('project'),
      createListConfig('flags'),
    );
    expect(all.permission?.rules?.map(({ tool }) => tool)).toEqual(['user', 'project', 'flags']);
    expect(all.hooks).toStrictEqual({
      beforeTool: [],
      afterTools: [{ command: ['user'] }, { command: ['project'] }, { command: ['flags'] }],
      finish: [],
      autoCommit: false,
    });
    expect(
      mergeThreeConfigs(createListConfig('user'), createListConfig('project'), {}).hooks?.autoCommit,
    ).toBe(true);
  });

  it('replaces a server as a whole, so that no environment is passed to another command', () => {
    const user: Config = {
      mcpServers: [
        { name: 'a', command: 'mine', env: { TOKEN: 'x' } },
        { name: 'b', url: 'http://b' },
      ],
    };
    const project: Config = {
      mcpServers: [
        { name: 'a', command: 'theirs' },
        { name: 'c', url: 'http://c' },
      ],
    };
    expect(mergeThreeConfigs(user, project, {}).mcpServers).toStrictEqual([
      { name: 'a', command: 'theirs' },
      { name: 'b', url: 'http://b' },
      { name: 'c', url: 'http://c' },
    ]);
  });

  it("prefers the user's prices over the project's", () => {
    const other = { prices: { n: { inputPerMillion: 9, outputPerMillion: 9 } } };
    expect(
      mergeThreeConfigs(
        createPriceConfig(1),
        { prices: { ...createPriceConfig(2).prices, ...other.prices } },
        {},
      ).prices,
    ).toStrictEqual({
      ...createPriceConfig(1).prices,
      ...other.prices,
    });
    expect(
      mergeThreeConfigs(createPriceConfig(1), createPriceConfig(2), createPriceConfig(3)).prices,
    ).toStrictEqual(createPriceConfig(3).prices);
  });

  it('takes the limits of each tool from the last layer that sets them', () => {
    const user = { toolLimits: { shell: { timeoutMs: 1 }, read: { outputCharsMax: 500 } } };
    const project = { toolLimits: { shell: { timeoutMs: null } } };
    expect(mergeThreeConfigs(user, project, {}).toolLimits).toStrictEqual({
      shell: { timeoutMs: null },
      read: { outputCharsMax: 500 },
    });
  });
});

function mergeThreeConfigs(user: Config, project: Config, flags: Config): Config {
  return mergeConfigs({ user, project, flags });
}

function createTextConfig(name: string): Config {
  return { model: name, profile: name, testCommand: name };
}

function createListConfig(name: string): Config {
  return {
    permission: { rules: [{ decision: 'deny', tool: name }] },
    hooks: { afterTools: [{ command: [name] }], autoCommit: name === 'project' },
  };
}

function createModeConfig(mode: PermissionMode | undefined): Config {
  return mode === undefined ? {} : { permission: { mode } };
}

function createPriceConfig(price: number): Config {
  return { prices: { m: { inputPerMillion: price, outputPerMillion: price } } };
}
