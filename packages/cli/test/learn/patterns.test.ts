import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NeedTable } from '../../src/learn/needs.ts';
import { PatternTable, type Pattern } from '../../src/learn/patterns.ts';
import { tokensOf, type Token } from '../../src/learn/tokens.ts';
import { run } from './made-runs.ts';

const tokens = (text: string): readonly Token[] =>
  text.split('').map((letter, step) => ({ step, mode: null, tool: letter, came: 'new' }));

function tableOf(rows: readonly (readonly [string, string, boolean])[]): PatternTable {
  const table = new PatternTable();
  for (const [text, source, failed] of rows) table.add(tokens(text), { source, failed });
  return table;
}

const counts = ({ words, runs, failed }: Pattern): unknown => [words, runs, failed];

const repeated = <Row>(count: number, row: Row): readonly Row[] => Array.from({ length: count }, () => row);

describe('patterns of steps', () => {
  it('are found where runs fail after them more often than others that came as far, with lift and support [SAV-55]', () => {
    const rows = [
      ...repeated(20, ['abcx', 's', true] as const),
      ...repeated(2, ['abcx', 's', false] as const),
      ...repeated(30, ['abdx', 's', false] as const),
      ...repeated(8, ['abdx', 's', true] as const),
    ];
    const [first] = tableOf(rows).found();
    expect(first).toMatchObject({ words: ['c new'], runs: 22, failed: 20, sources: 1, stepsLeft: 1 });
    expect(first?.expected).toBeCloseTo((22 * 28) / 60);
    expect(first?.lift).toBeCloseTo(20 / ((22 * 28) / 60));
    expect(first?.deviations).toBeGreaterThan(3);
  });

  it('are not found because their source fails more often', () => {
    const rows = [
      ...repeated(40, ['ax', 'hard', true] as const),
      ...repeated(10, ['bx', 'hard', true] as const),
      ...repeated(10, ['ax', 'easy', false] as const),
      ...repeated(40, ['bx', 'easy', false] as const),
    ];
    expect(tableOf(rows).found()).toEqual([]);
  });

  it('are not found because long runs, which fail more often, have more of everything', () => {
    const rows = [
      ...repeated(40, ['aaaaaaaaz', 's', true] as const),
      ...repeated(40, ['a', 's', false] as const),
    ];
    expect(tableOf(rows).found()).toEqual([]);
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
        expect(tableOf(all.toReversed()).found(loose).map(counts)).toEqual(
          tableOf(all).found(loose).map(counts),
        );
      }),
    );
  });

  it('stay few, whatever somebody calls their tools', () => {
    const table = new PatternTable();
    for (let index = 0; index < 150; index += 1) {
      const hostile = Array.from({ length: 1_000 }, (_, step): Token => ({
        step,
        mode: '__proto__',
        tool: `${index}-${step}-${'x'.repeat(30)}`,
        came: 'new',
      }));
      table.add(hostile, { source: '__proto__', failed: index % 2 === 0 });
    }
    expect(table.found()).toEqual([]);
  });
});

describe('a step in a word', () => {
  it('says what a call came to: news, what was known, or an error', () => {
    const calls = ['read a=one', 'read a=one', 'read a=two', 'read a!gone', 'read a!gone'];
    const words = tokensOf({ run: run('r', 's', true, calls) }).map(({ came }) => came);
    expect(words).toEqual(['new', 'known', 'new', 'error', 'error']);
  });

  it('says in which mode it was taken, and leaves out what the user said', () => {
    const each = {
      id: 'r',
      steps: [
        { i: 1, role: 'user', text: 'Go' },
        { i: 3, role: 'assistant', text: 'I think.' },
        { i: 5, role: 'assistant', tool: 'x'.repeat(1_000), result: 'y' },
      ],
    } as const;
    const [talk, call] = tokensOf({ run: each, modes: new Map([[3, 'THINKING']]) });
    expect(talk).toEqual({ step: 3, mode: 'THINKING', tool: null, came: 'said' });
    expect(call?.tool).toHaveLength(60);
    expect(call?.mode).toBeNull();
  });
});

describe('what success takes', () => {
  it('is told for each source, tool and mode, beside what failed runs took [SAV-66]', () => {
    const table = new NeedTable();
    for (let count = 1; count <= 10; count += 1)
      table.add(tokens('a'.repeat(count)), { source: 's', failed: false });
    table.add(tokens('aab'), { source: 's', failed: true });
    table.add([{ step: 0, mode: 'SEARCHING', tool: 'a', came: 'new' }], { source: 't', failed: false });
    const { bySource, byTool, byMode } = table.found();
    expect(bySource).toEqual([
      { name: 's', runs: 10, half: 5, most: 9, all: 10, failedRuns: 1, failedHalf: 3 },
      { name: 't', runs: 1, half: 1, most: 1, all: 1, failedRuns: 0, failedHalf: null },
    ]);
    // Nobody has succeeded with b, so nobody knows how much of it it takes.
    expect(byTool.map(({ name, runs, failedHalf }) => [name, runs, failedHalf])).toEqual([['a', 11, 2]]);
    expect(byMode.map(({ name, half }) => [name, half])).toEqual([['SEARCHING', 1]]);
  });
});
