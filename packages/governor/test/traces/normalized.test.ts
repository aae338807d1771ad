import { describe, expect, it } from 'vitest';
import { normalizedFormat } from '../../src/traces/normalized.ts';
import { listTraceProblems, parseSingleRun } from './parse-single-run.ts';
import { normalizedSample } from './benchmark-samples.ts';

describe('the normalized format', () => {
  it('keeps every field as it is', () => {
    const run = parseSingleRun(normalizedFormat, normalizedSample);
    const { steps, ...facts } = Object(normalizedSample);
    expect(run).toMatchObject(facts);
    expect(run.steps.slice(0, 2)).toEqual(steps.slice(0, 2));
  });

  it('estimates a quarter of the characters if there is no count', () => {
    expect(parseSingleRun(normalizedFormat, normalizedSample).steps[2]).toEqual({
      i: 2,
      role: 'assistant',
      text: 'It rains.',
      tokens: 2,
    });
  });

  it('numbers the steps that have no number', () => {
    const steps = [{ role: 'user' }, { role: 'assistant', i: 7 }, { role: 'user', i: 'x' }];
    expect(parseSingleRun(normalizedFormat, { steps }).steps.map(({ i }) => i)).toEqual([0, 7, 2]);
  });

  it('ignores fields of the wrong type', () => {
    const step = { i: 0, role: 'user', text: 1, tool: [], error: 'yes', at: 'now', tokens: '9', extra: true };
    expect(parseSingleRun(normalizedFormat, { id: 'a', steps: [step] }).steps).toEqual([
      { i: 0, role: 'user' },
    ]);
  });

  it('holds a run without steps', () => {
    expect(parseSingleRun(normalizedFormat, { id: 'empty', steps: [] })).toMatchObject({
      id: 'empty',
      steps: [],
    });
  });

  it('reports invalid steps and keeps the rest', () => {
    const document = { id: 'a', steps: [3, { role: 'tool' }, {}, { role: 'user', text: 'Hello' }] };
    expect(listTraceProblems(normalizedFormat, document)).toEqual([
      'steps[0]: expected a step, got a number',
      'steps[1]: expected the role assistant or user, got tool',
      'steps[2]: expected the role assistant or user, got nothing',
    ]);
    expect(normalizedFormat.parse(document, 'name').runs[0]?.steps).toHaveLength(1);
  });

  it('reports at most a hundred problems of a run, and the number of the others', () => {
    const steps = [{ role: 'user' }, ...Array.from({ length: 150 }, () => null)];
    const problems = listTraceProblems(normalizedFormat, { steps });
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toBe('50 more problems like these');
  });
});
