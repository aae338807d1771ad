import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listConfigOrigins } from '../../src/config/config-origins.ts';
import type { Config } from '../../src/config/config.ts';
import { mergeConfigs, type ConfigLayers } from '../../src/config/merge-configs.ts';
import { permissionModes } from '../../src/permission/modes.ts';

/** What holds under a key, and who says so. */
function findOrigins(layers: Partial<ConfigLayers>, key: string): readonly (readonly [unknown, string])[] {
  return listConfigOrigins(layers).flatMap((row) =>
    row.key === key ? [[row.value, row.from] as const] : [],
  );
}

describe('listConfigOrigins', () => {
  it('lists the defaults if no layer sets anything', () => {
    expect(listConfigOrigins({})).toStrictEqual([
      { key: 'model', value: 'librarian', from: 'default' },
      { key: 'profile', value: 'pawl', from: 'default' },
      { key: 'store', value: 'user', from: 'default' },
      { key: 'permission.mode', value: 'ask', from: 'default' },
      { key: 'projectInstructions', value: true, from: 'default' },
    ]);
  });

  it('names the layer that set the effective value', () => {
    const layers = {
      user: { model: 'a', profile: 'loom', budgets: { cost: 2, tokens: 9 } },
      project: { profile: 'nexora', testCommand: 'make', budgets: { cost: 1, tokens: 10 } },
      environment: { profile: 'savant' },
      flags: { model: 'b' },
    };
    expect(findOrigins(layers, 'model')).toEqual([['b', 'flags']]);
    expect(findOrigins(layers, 'profile')).toEqual([['savant', 'environment']]);
    expect(findOrigins(layers, 'testCommand')).toEqual([['make', 'project']]);
    expect(findOrigins(layers, 'budgets.cost')).toEqual([[1, 'project']]);
    expect(findOrigins(layers, 'budgets.tokens')).toEqual([[9, 'user']]);
  });

  it('does not name a project whose looser value was ignored', () => {
    expect(findOrigins({ project: { permission: { mode: 'full-auto' } } }, 'permission.mode')).toEqual([
      ['ask', 'default'],
    ]);
  });

  it('has a row for each rule, hook, server, price, limit and key of another system', () => {
    const user: Config = {
      permission: { rules: [{ decision: 'allow', tool: 'shell', on: 'ls' }] },
      hooks: { finish: [{ command: ['./a'] }] },
      mcpServers: [{ name: 'git', command: 'mine' }],
      prices: { m: { inputPerMillion: 1, outputPerMillion: 1 } },
      agent: { max_retries: 2, state_machine: { stuck_threshold: 4 } },
    };
    const project: Config = {
      permission: { rules: [{ decision: 'deny', tool: '*', on: 'secrets/**' }] },
      hooks: { finish: [{ command: ['./b'] }], autoCommit: true },
      mcpServers: [{ name: 'git', command: 'theirs' }],
      toolLimits: { shell: { timeoutMs: 1 } },
      telemetry: { otlp: 'https://elsewhere' },
      agent: { state_machine: { stuck_threshold: 5 } },
    };
    const layers = { user, project };
    expect(findOrigins(layers, 'permission.rules')).toEqual([
      ['allow shell(ls)', 'user'],
      ['deny *(secrets/**)', 'project'],
    ]);
    expect(findOrigins(layers, 'hooks.finish')).toEqual([
      [{ command: ['./a'] }, 'user'],
      [{ command: ['./b'] }, 'project'],
    ]);
    expect(findOrigins(layers, 'hooks.autoCommit')).toEqual([[true, 'project']]);
    expect(findOrigins(layers, 'mcpServers.git')).toEqual([[{ command: 'theirs' }, 'project']]);
    expect(findOrigins(layers, 'prices.m')).toEqual([[user.prices?.['m'], 'user']]);
    expect(findOrigins(layers, 'toolLimits.shell')).toEqual([[{ timeoutMs: 1 }, 'project']]);
    expect(findOrigins(layers, 'agent.max_retries')).toEqual([[2, 'user']]);
    expect(findOrigins(layers, 'agent.state_machine.stuck_threshold')).toEqual([[5, 'project']]);
  });

  it('always matches the merged configuration', () => {
    const text = fc.option(fc.constantFrom('a', 'b', 'ollama:c', 'openai:d'), { nil: undefined });
    const layer = fc
      .record({
        model: text,
        baseUrl: text,
        profile: text,
        store: text,
        mode: fc.option(fc.constantFrom(...permissionModes), { nil: undefined }),
      })
      .map(({ mode, ...texts }): Config => {
        const set = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
        return { ...set, ...(mode !== undefined && { permission: { mode } }) };
      });
    const layers = fc.record({ user: layer, project: layer, environment: layer, flags: layer });
    fc.assert(
      fc.property(layers, (each) => {
        const merged = mergeConfigs(each);
        for (const key of ['model', 'baseUrl', 'profile', 'store'] as const) {
          const [row] = findOrigins(each, key);
          if (merged[key] === undefined) expect(row?.[1] ?? 'default').toBe('default');
          else {
            expect(row?.[0]).toBe(merged[key]);
            const from = row?.[1] ?? 'default';
            if (from !== 'default') expect(each[from as keyof typeof each][key]).toBe(merged[key]);
          }
        }
      }),
    );
  });
});
