import { pawlRules } from '@pawl/governor/rules';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxFolds, createFolds } from '../../../src/commands/learn/choose-thresholds.ts';
import {
  isAtLeastAsStrict,
  listTunableThresholds,
  setThreshold,
} from '../../../src/commands/learn/tunable-thresholds.ts';
import {
  toDetectorScore,
  computeScoreRatios,
  findLastWorkStep,
  sumScoreRatios,
} from '../../../src/commands/learn/detector-score.ts';
import {
  computeRequiredRuns,
  computeQuantile,
  hashTextToNumber,
  computeUpperBound,
} from '../../../src/commands/learn/statistics.ts';
import type { RuleThresholdMap } from '../../../src/commands/learn/rule-counts.ts';

describe('folds', () => {
  const runs = fc.uniqueArray(fc.record({ id: fc.string(), source: fc.nat({ max: 15 }).map(String) }), {
    selector: ({ id }) => id,
    maxLength: 80,
  });

  it('contain each run exactly once, with all others in the rest', () => {
    fc.assert(
      fc.property(runs, (all) => {
        const { folds } = createFolds(all);
        expect(folds.flatMap(({ held }) => held).toSorted(compareIds)).toEqual(all.toSorted(compareIds));
        for (const { held, rest } of folds) {
          expect(held.length + rest.length).toBe(all.length);
          expect(rest.filter((run) => held.includes(run))).toEqual([]);
        }
      }),
    );
  });

  it('keep sources whole, and do not depend on the order of the runs', () => {
    fc.assert(
      fc.property(runs, (all) => {
        const { by, folds } = createFolds(all);
        expect(folds.length).toBeLessThanOrEqual(maxFolds);
        const named = (each: typeof folds): unknown =>
          each.map(({ name, held }) => [name, held.map(({ id }) => id).toSorted()]);
        expect(named(createFolds(all.toReversed()).folds)).toEqual(named(folds));
        if (by === 'run') return;
        for (const { held, rest } of folds) {
          const sources = new Set(held.map(({ source }) => source));
          expect(rest.filter(({ source }) => sources.has(source))).toEqual([]);
        }
      }),
    );
  });

  it('are by run if there are too few sources to hold one out', () => {
    const all = Array.from({ length: 100 }, (_, index) => ({ id: `run ${index}`, source: 'here' }));
    const { by, folds } = createFolds(all);
    expect(by).toBe('run');
    expect(folds).toHaveLength(5);
    for (const { held } of folds) expect(held.length).toBeGreaterThan(5);
  });
});

function compareIds(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}

describe('tunable thresholds', () => {
  const inForce: RuleThresholdMap = new Map(pawlRules.map(({ id, thresholds }) => [id, thresholds]));
  const tunables = listTunableThresholds(pawlRules);

  it('never loosen refuse, ask or finish, and never remove advice or put it last', () => {
    const picks = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 30 });
    fc.assert(
      fc.property(picks, (picked) => {
        let after = inForce;
        for (const [index, choice] of picked) {
          const tunable = tunables[index % tunables.length];
          const value = tunable?.values[choice % tunable.values.length];
          if (tunable !== undefined && value !== undefined) after = setThreshold(after, tunable, value);
          expect(isAtLeastAsStrict(inForce, after)).toBe(true);
        }
        for (const { advise, block, ask, stop } of after.values()) {
          for (const stricter of [block, ask ?? null, stop])
            if (advise !== null && stricter !== null) expect(advise).toBeLessThanOrEqual(stricter);
        }
      }),
    );
  });

  it('are compared for strictness', () => {
    const changed = (change: object): RuleThresholdMap =>
      new Map([...inForce, ['repeated-call', { advise: 3, block: null, stop: 4, ...change }]]);
    expect(isAtLeastAsStrict(inForce, changed({ stop: 3 }))).toBe(true);
    expect(isAtLeastAsStrict(inForce, changed({ stop: 5 }))).toBe(false);
    expect(isAtLeastAsStrict(inForce, changed({ stop: null }))).toBe(false);
    expect(isAtLeastAsStrict(inForce, changed({ advise: null }))).toBe(false);
    expect(isAtLeastAsStrict(inForce, new Map())).toBe(false);
  });

  it('do not include a threshold of one, and try seconds in large steps', () => {
    expect(
      tunables.filter(({ rule, severity }) => rule === 'repetition-loop' && severity === 'advise'),
    ).toEqual([]);
    expect(tunables.find(({ rule, severity }) => rule === 'waiting' && severity === 'stop')?.values).toEqual([
      1500, 1200, 900,
    ]);
  });
});

describe('statistics', () => {
  it('take quantiles from the numbers themselves', () => {
    expect([0, 0.5, 0.9, 1].map((share) => computeQuantile([5, 1, 4, 2, 3], share))).toEqual([1, 3, 5, 5]);
    expect(computeQuantile([], 0.5)).toBeNull();
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { minLength: 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (all, share) => {
          const value = computeQuantile(all, share) ?? NaN;
          expect(all).toContain(value);
          expect(all.filter((each) => each <= value).length).toBeGreaterThanOrEqual(
            share * all.length - 1e-9,
          );
        },
      ),
    );
  });

  it('bound a share from above, more tightly with more cases', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1000 }), fc.integer({ min: 1, max: 1000 }), (hits, more) => {
        const bound = computeUpperBound(hits, hits + more);
        expect(bound).toBeGreaterThan(hits / (hits + more));
        expect(bound).toBeLessThanOrEqual(1);
        expect(computeUpperBound(10 * hits, 10 * (hits + more))).toBeLessThan(bound);
      }),
    );
    expect(computeUpperBound(0, 0)).toBe(1);
    expect(computeUpperBound(0, 964)).toBeCloseTo(0.0028, 4);
  });

  it('compute how many runs a bound requires', () => {
    for (const bound of [0.5, 0.1, 0.02, 0.001]) {
      expect(computeUpperBound(0, computeRequiredRuns(bound))).toBeLessThanOrEqual(bound);
      expect(computeUpperBound(0, computeRequiredRuns(bound) - 1)).toBeGreaterThan(bound);
    }
  });

  it('hash names evenly', () => {
    const parts = Map.groupBy(
      Array.from({ length: 5000 }, (_, index) => `run-${index}`),
      (id) => hashTextToNumber(id) % 5,
    );
    for (const { length } of parts.values()) {
      expect(length).toBeGreaterThan(900);
      expect(length).toBeLessThan(1100);
    }
  });
});

const createDetectorVerdict = (step: number, severity: string): { step: number; severity: string } => ({
  step,
  severity,
});
const solved = {
  success: true,
  lastStep: 9,
  agentSteps: [0, 2, 4, 6, 8, 9],
  lastWorkStep: 6,
  judgment: null,
};
const scoreEndedRun = (step: number): unknown =>
  computeScoreRatios(solved, [createDetectorVerdict(step, 'stop')]);

const findWorkStep = (...steps: readonly object[]): number =>
  findLastWorkStep({
    id: 'run',
    steps: steps.map((step, i) => ({ i, role: 'assistant' as const, ...step })),
  });

describe('findLastWorkStep', () => {
  it('is the last new step that is not an error and does not hand in the result', () => {
    const read = { tool: 'read', args: { path: 'a' } };
    expect(findWorkStep(read, { tool: 'read', args: { path: 'b' } }, read)).toBe(1);
    expect(findWorkStep(read, { tool: 'edit', args: { path: 'a' }, error: true })).toBe(0);
    expect(
      findWorkStep(read, { tool: 'submit', args: {} }, { tool: 'bash', args: { command: 'finish' } }),
    ).toBe(0);
    expect(findWorkStep(read, { text: 'Done.' }, { text: 'Done.' }, { role: 'user', text: 'More.' })).toBe(1);
    expect(findWorkStep({ ...read, error: true })).toBe(-1);
  });

  it('distinguishes calls by the hash of truncated arguments', () => {
    const write = { tool: 'write', args: { text: 'a…' } };
    expect(findWorkStep({ ...write, argsHash: 'x' }, { ...write, argsHash: 'y' })).toBe(1);
    expect(findWorkStep({ ...write, argsHash: 'x' }, { ...write, argsHash: 'x' })).toBe(0);
  });
});

describe('a detector score', () => {
  it('counts a solved run that would be ended before its last step', () => {
    expect(scoreEndedRun(4)).toMatchObject({ harm: { hits: 1, of: 1 }, net: { hits: 1, of: 1 } });
    expect(scoreEndedRun(8)).toMatchObject({
      harm: { hits: 1, of: 1 },
      net: { hits: 0, of: 1 },
      noise: { hits: 1, of: 1 },
      caught: { of: 0 },
    });
    expect(scoreEndedRun(9)).toMatchObject({ harm: { hits: 0, of: 1 }, noise: { hits: 1, of: 1 } });
  });

  it('counts the steps after the end of an unsolved run, and the reviewers’ judgments', () => {
    const judgment = { stuck: true, from: 6 };
    const shares = computeScoreRatios({ ...solved, success: false, judgment }, [
      createDetectorVerdict(2, 'advise'),
      createDetectorVerdict(4, 'ask'),
    ]);
    expect(shares).toMatchObject({
      caught: { hits: 1 },
      saved: { hits: 3, of: 6 },
      told: { hits: 1, of: 1 },
    });
    const fine = computeScoreRatios({ ...solved, judgment: { stuck: false, from: 0 } }, [
      createDetectorVerdict(9, 'stop'),
    ]);
    expect(fine).toMatchObject({ wrong: { hits: 1, of: 1 }, told: { of: 0 } });
  });

  it('is a percentage, or null without cases', () => {
    expect(
      toDetectorScore(
        sumScoreRatios([
          computeScoreRatios(solved, []),
          computeScoreRatios(solved, [createDetectorVerdict(1, 'stop')]),
        ]),
      ),
    ).toEqual({
      harm: 50,
      net: 50,
      noise: 50,
      caught: null,
      saved: null,
      told: null,
      wrong: null,
    });
  });
});
