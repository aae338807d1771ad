import { describe, expect, it } from 'vitest';
import { createDefaultLkjPrompts, parseLkjConfig } from '../../../src/memory/lkj/config.ts';
import { memorySettings } from '../../../src/memory/settings.ts';
import { getJsonPath } from '@pawl/governor/json';

describe('the configuration', () => {
  it('of the older profile has its defaults [LKJ1-96..104]', () => {
    const { memory, iterate, unknown } = parseLkjConfig({}, 'lkj1');
    expect(memory.logs.think).toEqual({ enable: true, maxEntries: 10, keyPrefix: 'thinking_log_' });
    expect(memory.pagingLimit).toEqual({ enable: true, maxTokens: 4_096 });
    expect(memory.hardLimit).toEqual({ enable: true, maxTokens: 8_192 });
    expect(iterate).toEqual({ enable: true, maxIterations: 1_000 });
    expect(unknown).toEqual([]);
  });

  it('of the newer profile has three logs, and the same limits [LKJ2-28, LKJ2-33, RL-16, RL-20]', () => {
    const { memory } = parseLkjConfig({}, 'lkj');
    expect(memory).toEqual(memorySettings.lkj);
    expect(memory.logs).toEqual({
      think: { enable: true, maxEntries: 10, keyPrefix: 'think_log_' },
      evaluation: { enable: true, maxEntries: 10, keyPrefix: 'evaluation_log_' },
      command: { enable: true, maxEntries: 10, keyPrefix: 'command_log_' },
    });
    expect([memory.pagingLimit.maxTokens, memory.hardLimit.maxTokens]).toEqual([4_096, 8_192]);
  });

  it('reads every key under agent [LKJ2-26, LKJ2-27, LKJ2-32, LKJ2-35, LKJ2-42]', () => {
    const log = { enable: false, max_entries: 4, key_prefix: 'mine_' };
    const config = {
      agent: {
        think_log: log,
        evaluation_log: { max_entries: 1 },
        command_log: { enable: false },
        paging_limit: { enable: false, max_tokens: 1_024 },
        hard_limit: { max_tokens: 2_048 },
        iterate: { enable: false, max_iterations: 10 },
      },
    };
    const { memory, iterate, unknown } = parseLkjConfig(config, 'lkj');
    expect(memory.logs.think).toEqual({ enable: false, maxEntries: 4, keyPrefix: 'mine_' });
    expect(memory.logs.evaluation).toEqual({ enable: true, maxEntries: 1, keyPrefix: 'evaluation_log_' });
    expect(memory.logs.command.enable).toBe(false);
    expect(memory.pagingLimit).toEqual({ enable: false, maxTokens: 1_024 });
    expect(memory.hardLimit).toEqual({ enable: true, maxTokens: 2_048 });
    expect(iterate).toEqual({ enable: false, maxIterations: 10 });
    expect(unknown).toEqual([]);
  });

  it('reads the older layout and the older log name as well', () => {
    const config = { thinking_log: { max_entries: 3 }, paging_limit: { max_tokens: 500 } };
    for (const profile of ['lkj', 'lkj1'] as const) {
      const { memory, unknown } = parseLkjConfig(config, profile);
      expect(memory.logs.think.maxEntries).toBe(3);
      expect(memory.pagingLimit.maxTokens).toBe(500);
      expect(unknown).toEqual([]);
    }
  });

  it('has a prompt for all states and one for each, which the file may replace [LKJ1-24, LKJ1-28]', () => {
    const prompt = { role: 'a poet', instructions: 'rhyme' };
    const { prompts } = parseLkjConfig(
      { agent: { state: { base: { prompt }, paging: { prompt: 'page' } } } },
      'lkj1',
    );
    expect(prompts['base']).toEqual(prompt);
    expect(prompts['paging']).toBe('page');
    expect(prompts['thinking']).toEqual(createDefaultLkjPrompts('lkj1')['thinking']);
    expect(Object.keys(parseLkjConfig({}, 'lkj').prompts)).toEqual([
      'base',
      'thinking',
      'commanding',
      'evaluating',
    ]);
  });

  it('describes the role, the format, the states and the actions by default [LKJ1-25, LKJ1-26, LKJ1-27, LKJ1-29, LKJ1-30, LKJ1-31]', () => {
    const prompts = createDefaultLkjPrompts('lkj1');
    const role = getJsonPath(prompts, 'base', 'role');
    expect(role).toMatch(/librarian.*state machine.*working memory is small.*storage is unlimited/s);
    expect(role).toMatch(/next_state and thinking_log/);
    const instructions = getJsonPath(prompts, 'base', 'instructions');
    expect(instructions).toMatch(/XML.*agent element/s);
    expect(instructions).toMatch(/thinking, put next_state and thinking_log into it/);
    expect(instructions).toMatch(/executing, one action with type, tags and, if the action needs one, value/);
    expect(getJsonPath(prompts, 'thinking', 'state_description', 'thinking')).toMatch(
      /reason.*thinking_log.*next/i,
    );
    const four = ['working_memory_add', 'working_memory_remove', 'storage_load', 'storage_save'];
    const executing = getJsonPath(prompts, 'thinking', 'state_description', 'executing');
    for (const action of four) expect(executing).toContain(action);
    const actions = getJsonPath(prompts, 'executing', 'available_actions') as {
      readonly [name: string]: string;
    };
    expect(Object.keys(actions)).toEqual(four);
    expect(Object.values(actions).every((text) => text.length > 20)).toBe(true);
  });

  it('reports unknown keys', () => {
    const config = {
      llm: { model: 'x' },
      agent: { think_log: { max_entry: 3 }, mood: 1, state: { base: { prompt: 'x' } } },
      iterate: { __proto__x: 1 },
    };
    expect(parseLkjConfig(config, 'lkj').unknown).toEqual([
      'agent.think_log.max_entry',
      'agent.mood',
      'llm',
      'iterate.__proto__x',
    ]);
    expect(parseLkjConfig(JSON.parse('{"__proto__":{"agent":1}}'), 'lkj').unknown).toEqual(['__proto__']);
  });

  it.each([
    [7, 'LKJ config: the file expects an object, and got 7.'],
    [[], 'LKJ config: the file expects an object, and got [].'],
    [{ agent: 'x' }, 'LKJ config: agent expects an object, and got "x".'],
    [{ agent: { iterate: null } }, 'LKJ config: agent.iterate expects an object, and got null.'],
    [
      { agent: { think_log: { max_entries: '10' } } },
      'LKJ config: agent.think_log.max_entries expects a whole number from 1 to 999, and got "10".',
    ],
    [{ hard_limit: { enable: 1 } }, 'LKJ config: hard_limit.enable expects true or false, and got 1.'],
    [
      { agent: { think_log: { key_prefix: 'a b' } } },
      'LKJ config: agent.think_log.key_prefix expects text of 1 to 60 characters without whitespace, commas or digits, and got "a b".',
    ],
    [{ agent: { iterate: {} }, iterate: {} }, 'LKJ config: set either agent.iterate or iterate, not both.'],
    [
      { agent: { think_log: {}, thinking_log: {} } },
      'LKJ config: set either agent.think_log or agent.thinking_log, not both.',
    ],
    [
      { agent: { evaluation_log: { key_prefix: 'think_log_' } } },
      'LKJ config: two logs have the key_prefix "think_log_". Each log needs its own prefix.',
    ],
    [
      { agent: { state: { base: {} } } },
      'LKJ config: agent.state.base.prompt expects a prompt, and got nothing.',
    ],
    [{ a: NaN }, 'LKJ config: the file is not valid JSON: it holds the number NaN, which JSON cannot.'],
  ])('%j is rejected with one clear error', (input, message) => {
    expect(() => parseLkjConfig(input, 'lkj')).toThrow(new TypeError(message));
  });
});
