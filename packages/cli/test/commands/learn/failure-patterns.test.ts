import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StepRequirementTable } from '../../../src/commands/learn/step-requirements.ts';
import {
  PatternTable,
  type FailurePattern,
  tokenizeRun,
  type StepToken,
} from '../../../src/commands/learn/failure-patterns.ts';
import { createRun } from './training-runs.ts';

const toTokens = (text: string): readonly StepToken[] =>
  text.split('').map((letter, step) => ({ step, mode: null, tool: letter, novelty: 'new' }));

function createPatternTable(rows: readonly (readonly [string, string, boolean])[]): PatternTable {
  const table = new PatternTable();
  for (const [text, source, failed] of rows) table.add(toTokens(text), { source, failed });
  return table;
}

const toPatternCounts = ({ words, runs, failed }: FailurePattern): unknown => [words, runs, failed];

const repeatRow = <Row>(count: number, row: Row): readonly Row[] => Array.from({ length: count }, () => row);

describe('patterns of steps', () => {
  it('are found where runs fail after them more often than runs that got as far, with lift and support [SAV-55]', () => {
    const rows = [
      ...repeatRow(20, ['abcx', 's', true] as const),
      ...repeatRow(2, ['abcx', 's', false] as const),
      ...repeatRow(30, ['abdx', 's', false] as const),
      ...repeatRow(8, ['abdx', 's', true] as const),
    ];
    const [first] = createPatternTable(rows).listPatterns();
    expect(first).toMatchObject({ words: ['c new'], runs: 22, failed: 20, sources: 1, stepsLeft: 1 });
    expect(first?.expected).toBeCloseTo((22 * 28) / 60);
    expect(first?.lift).toBeCloseTo(20 / ((22 * 28) / 60));
    expect(first?.deviations).toBeGreaterThan(3);
  });

  it('are not found merely because their source fails more often', () => {
    const rows = [
      ...repeatRow(40, ['ax', 'hard', true] as const),
      ...repeatRow(10, ['bx', 'hard', true] as const),
      ...repeatRow(10, ['ax', 'easy', false] as const),
      ...repeatRow(40, ['bx', 'easy', false] as const),
    ];
    expect(createPatternTable(rows).listPatterns()).toEqual([]);
  });

  it('are not found merely because long runs fail more often and contain more patterns', () => {
    const rows = [
      ...repeatRow(40, ['aaaaaaaaz', 's', true] as const),
      ...repeatRow(40, ['a', 's', false] as const),
    ];
    expect(createPatternTable(rows).listPatterns()).toEqual([]);
  });

  it('do not depend on the order of the runs', () => {
    const rows = fc.array(
      fc.tuple(
        fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 }).map((letters) => letters.join('')),
        fc.constantFrom('s', 't'),
        fc.boolean(),
      ),
      { maxLength: 60 },
    );
    const loose = { supportMin: 2, deviationsMin: 0.5 };
    fc.assert(
      fc.property(rows, (all) => {
        expect(createPatternTable(all.toReversed()).listPatterns(loose).map(toPatternCounts)).toEqual(
          createPatternTable(all).listPatterns(loose).map(toPatternCounts),
        );
      }),
    );
  });

  it('stay few, whatever the tools are called', () => {
    const table = new PatternTable();
    for (let index = 0; index < 150; index += 1) {
      const hostile = Array.from({ length: 1_000 }, (_, step): StepToken => ({
        step,
        mode: '__proto__',
        tool: `${index}-${step}-${'x'.repeat(30)}`,
        novelty: 'new',
      }));
      table.add(hostile, { source: '__proto__', failed: index % 2 === 0 });
    }
    expect(table.listPatterns()).toEqual([]);
  });
});

describe('a step token', () => {
  it('states whether the result of a call was new, known or an error', () => {
    const calls = ['read a=one', 'read a=one', 'read a=two', 'read a!gone', 'read a!gone'];
    const words = tokenizeRun({ run: createRun('r', 's', true, calls) }).map(({ novelty }) => novelty);
    expect(words).toEqual(['new', 'known', 'new', 'error', 'error']);
  });

  it('states the mode of the step, and user messages have no token', () => {
    const each = {
      id: 'r',
      steps: [
        { i: 1, role: 'user', text: 'Go' },
        { i: 3, role: 'assistant', text: 'I think.' },
        { i: 5, role: 'assistant', tool: 'x'.repeat(1_000), result: 'y' },
      ],
    } as const;
    const [talk, call] = tokenizeRun({ run: each, modes: new Map([[3, 'THINKING']]) });
    expect(talk).toEqual({ step: 3, mode: 'THINKING', tool: null, novelty: 'text' });
    expect(call?.tool).toHaveLength(60);
    expect(call?.mode).toBeNull();
  });
});

describe('step requirements', () => {
  it('are computed for each source, tool and mode, next to those of failed runs [SAV-66]', () => {
    const table = new StepRequirementTable();
    for (let count = 1; count <= 10; count += 1)
      table.add(toTokens('a'.repeat(count)), { source: 's', failed: false });
    table.add(toTokens('aab'), { source: 's', failed: true });
    table.add([{ step: 0, mode: 'SEARCHING', tool: 'a', novelty: 'new' }], { source: 't', failed: false });
    const { bySource, byTool, byMode } = table.computeAll();
    expect(bySource).toEqual([
      { name: 's', runs: 10, half: 5, most: 9, all: 10, failedRuns: 1, failedHalf: 3 },
      { name: 't', runs: 1, half: 1, most: 1, all: 1, failedRuns: 0, failedHalf: null },
    ]);
    // No solved run uses b, so its requirement is unknown.
    expect(byTool.map(({ name, runs, failedHalf }) => [name, runs, failedHalf])).toEqual([['a', 11, 2]]);
    expect(byMode.map(({ name, half }) => [name, half])).toEqual([['SEARCHING', 1]]);
  });
});
