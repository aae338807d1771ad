import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { mergeConfigs } from '../../src/config/merge-configs.ts';
import { permissionModes, type PermissionMode } from '../../src/permission/modes.ts';

describe('mergeConfigs', () => {
  it('is nothing when there is nothing', () => {
    expect(merged({}, {}, {})).toStrictEqual({});
  });

  it('lets the command line win over the project, and the project over the user', () => {
    expect(merged(texts('user'), {}, {})).toStrictEqual(texts('user'));
    expect(merged(texts('user'), texts('project'), {})).toStrictEqual(texts('project'));
    expect(merged(texts('user'), texts('project'), texts('flags'))).toStrictEqual(texts('flags'));
  });

  it('never takes an address meant for another model', () => {
    const user = { model: 'ollama:a', baseUrl: 'http://127.0.0.1:1' };
    expect(merged(user, { model: 'anthropic:b' }, {})).toStrictEqual({ model: 'anthropic:b' });
    expect(merged(user, {}, { model: 'anthropic:b' })).toStrictEqual({ model: 'anthropic:b' });
    expect(merged(user, { model: 'c', baseUrl: 'http://c' }, {})).toStrictEqual({
      model: 'c',
      baseUrl: 'http://c',
    });
    expect(merged(user, {}, { baseUrl: 'http://d' })).toStrictEqual({
      model: 'ollama:a',
      baseUrl: 'http://d',
    });
  });

  it('lets the environment win over the files, and the command line over the environment', () => {
    const layers = { user: texts('user'), project: texts('project'), environment: texts('variable') };
    expect(mergeConfigs(layers)).toStrictEqual(texts('variable'));
    expect(mergeConfigs({ ...layers, flags: texts('flags') })).toStrictEqual(texts('flags'));
    const modes = { user: inMode('read-only'), environment: inMode('full-auto') };
    expect(mergeConfigs(modes).permission?.mode).toBe('full-auto');
    expect(mergeConfigs({ ...modes, flags: inMode('ask') }).permission?.mode).toBe('ask');
  });

  it("takes the address in the environment for servers of one's own, and sends no key of another provider there", () => {
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

  it('takes the keys of other systems one by one', () => {
    const user = { agent: { max_retries: 2, state_machine: { stuck_threshold: 4, enable: true } } };
    const project = { agent: { state_machine: { stuck_threshold: 5 } } };
    expect(mergeConfigs({ user, project }).agent).toStrictEqual({
      max_retries: 2,
      state_machine: { stuck_threshold: 5, enable: true },
    });
  });

  it('lets a project tighten the mode of permission, and only the user loosen it', () => {
    const mode = fc.option(fc.constantFrom(...permissionModes), { nil: undefined });
    fc.assert(
      fc.property(mode, mode, mode, (user, project, flags) => {
        const all = merged(inMode(user), inMode(project), inMode(flags)).permission?.mode;
        if (flags !== undefined) expect(all).toBe(flags);
        else
          expect(permissionModes.indexOf(all ?? 'ask')).toBeLessThanOrEqual(
            permissionModes.indexOf(user ?? 'ask'),
          );
        if (flags === undefined && project === 'read-only') expect(all).toBe('read-only');
      }),
    );
  });

  it('leaves it to the user and the environment where telemetry is sent, and what goes with it to its address', () => {
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

  it('keeps the smaller of two budgets unless the command line says otherwise', () => {
    const user = { budgets: { modelCalls: 10, cost: 5 } };
    const project = { budgets: { modelCalls: 20, cost: 1, tokens: 7 } };
    expect(merged(user, project, {}).budgets).toStrictEqual({ modelCalls: 10, tokens: 7, cost: 1 });
    const flags = { budgets: { modelCalls: 50, cost: null } };
    expect(merged(user, project, flags).budgets).toStrictEqual({
      modelCalls: 50,
      tokens: 7,
      cost: null,
    });
  });

  it("adds up rules and hooks, the user's first", () => {
    const all = merged(lists('user'), lists('project'), lists('flags'));
    expect(all.permission?.rules?.map(({ tool }) => tool)).toEqual(['user', 'project', 'flags']);
    expect(all.hooks).toStrictEqual({
      beforeTool: [],
      afterTools: [{ command: ['user'] }, { command: ['project'] }, { command: ['flags'] }],
      finish: [],
      autoCommit: false,
    });
    expect(merged(lists('user'), lists('project'), {}).hooks?.autoCommit).toBe(true);
  });

  it('replaces a server as a whole, so that no environment goes to another command', () => {
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
    expect(merged(user, project, {}).mcpServers).toStrictEqual([
      { name: 'a', command: 'theirs' },
      { name: 'b', url: 'http://b' },
      { name: 'c', url: 'http://c' },
    ]);
  });

  it("reckons with the user's prices before the project's", () => {
    const other = { prices: { n: { inputPerMillion: 9, outputPerMillion: 9 } } };
    expect(merged(priced(1), { prices: { ...priced(2).prices, ...other.prices } }, {}).prices).toStrictEqual({
      ...priced(1).prices,
      ...other.prices,
    });
    expect(merged(priced(1), priced(2), priced(3)).prices).toStrictEqual(priced(3).prices);
  });

  it('takes the limits of each tool from the last who set them', () => {
    const user = { toolLimits: { shell: { timeoutMs: 1 }, read: { outputCharsMax: 500 } } };
    const project = { toolLimits: { shell: { timeoutMs: null } } };
    expect(merged(user, project, {}).toolLimits).toStrictEqual({
      shell: { timeoutMs: null },
      read: { outputCharsMax: 500 },
    });
  });
});

function merged(user: Config, project: Config, flags: Config): Config {
  return mergeConfigs({ user, project, flags });
}

function texts(name: string): Config {
  return { model: name, profile: name, testCommand: name };
}

function lists(name: string): Config {
  return {
    permission: { rules: [{ decision: 'deny', tool: name }] },
    hooks: { afterTools: [{ command: [name] }], autoCommit: name === 'project' },
  };
}

function inMode(mode: PermissionMode | undefined): Config {
  return mode === undefined ? {} : { permission: { mode } };
}

function priced(price: number): Config {
  return { prices: { m: { inputPerMillion: price, outputPerMillion: price } } };
}
