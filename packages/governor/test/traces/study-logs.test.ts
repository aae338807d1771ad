import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/index.ts';
import {
  cochiseFormat,
  codeRepairLabFormat,
  mintFormat,
  sentinelFormat,
} from '../../src/traces/study-logs.ts';
import { listTraceProblems, omitCostAndTime, parseSingleRun } from './parse-single-run.ts';
import { cochiseSample, codeRepairLabSample, mintSample, sentinelSample } from './study-samples.ts';

describe('lines of cochise', () => {
  it('have the costs of each request', () => {
    const { steps } = parseSingleRun(cochiseFormat, cochiseSample);
    expect(steps.map(({ tokens, inputTokens }) => [tokens, inputTokens])).toEqual([
      [undefined, undefined],
      [40, 100],
      [0, undefined],
      [2, undefined],
    ]);
    expect(steps[1]?.at).toBe(1_772_359_200_000);
  });

  it('have the executors as runs of their own', () => {
    const content = { role: 'assistant', content: 'done' };
    const line = { agent: 'call_1', event: 'history_append', content };
    const { runs } = cochiseFormat.parse([...(cochiseSample as readonly Json[]), line], 'name');
    expect(runs.map(({ id, model }) => [id, model])).toEqual([
      ['name', 'model-a'],
      ['name/call_1', 'model-a'],
    ]);
  });
});

describe('a run of code-repair-lab', () => {
  it('has its outcome, and shares its usage', () => {
    const run = parseSingleRun(codeRepairLabFormat, codeRepairLabSample);
    expect(run).toMatchObject({ id: 'cr-1/2', model: 'model-a', success: true, exit: 'completed' });
    expect(run.steps.map(({ inputTokens }) => inputTokens)).toEqual([undefined, 100, undefined, 100]);
  });

  it('reports what is no turn', () => {
    const turns = [{ type: 'message', role: 'user', content: 'a' }, 3];
    expect(listTraceProblems(codeRepairLabFormat, { trajectory: { turns } })).toEqual([
      'trajectory.turns[1]: a turn of an unknown type',
    ]);
  });
});

describe('lines of agent-trajectory-sentinel', () => {
  it('have the calls of each step with their results', () => {
    expect(omitCostAndTime(parseSingleRun(sentinelFormat, sentinelSample).steps)).toEqual([
      { i: 0, role: 'user', text: 'Is it raining in Ghent?' },
      { i: 1, role: 'assistant', tool: 'weather', args: { city: 'Ghent' }, result: 'rain', error: false },
      {
        i: 2,
        role: 'assistant',
        tool: 'weather',
        args: { city: 'Gent' },
        result: 'no such city',
        error: true,
      },
      { i: 3, role: 'assistant', text: 'It rains.' },
    ]);
  });

  it('are reported if they have no calls', () => {
    const lines = [...(sentinelSample as readonly Json[]), { action: 'x' }];
    expect(listTraceProblems(sentinelFormat, lines)).toEqual(['[2]: a line without tool_events']);
  });
});

describe('a state of MINT', () => {
  it('has code and solutions as calls, and what the environment said as results', () => {
    const run = parseSingleRun(mintFormat, mintSample);
    expect(run).toMatchObject({ id: '7', success: false, exit: 'max_steps' });
    expect(omitCostAndTime(run.steps)).toEqual([
      { i: 0, role: 'user', text: 'Is it raining in Ghent?' },
      {
        i: 1,
        role: 'assistant',
        text: 'I shall look.',
        tool: 'python',
        args: { code: 'weather("Ghent")' },
        result: 'rain',
      },
      { i: 2, role: 'assistant', text: 'I think so.', result: 'I do not understand your input.' },
      {
        i: 3,
        role: 'assistant',
        tool: 'propose',
        args: { solution: 'yes' },
        result: 'Your answer is wrong.',
      },
    ]);
    expect(run.steps.map(({ inputTokens }) => inputTokens)).toEqual([undefined, 100, 100, 100]);
  });
});
