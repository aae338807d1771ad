import { pawlRules } from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldsMax, foldsOf } from '../../src/learn/folds.ts';
import { isNoLooser, knobsOf, turned } from '../../src/learn/knobs.ts';
import { scoreOf, sharesOf, sumOf } from '../../src/learn/score.ts';
import { neededFor, quantile, spread, upperBound } from '../../src/learn/statistics.ts';
import type { RuleThresholds } from '../../src/learn/verdicts.ts';

describe('folds', () => {
  const runs = fc.uniqueArray(fc.record({ id: fc.string(), source: fc.nat({ max: 15 }).map(String) }), {
    selector: ({ id }) => id,
    maxLength: 80,
  });

  it('have each run exactly once, and the rest beside it', () => {
    fc.assert(
      fc.property(runs, (all) => {
        const { folds } = foldsOf(all);
        expect(folds.flatMap(({ held }) => held).toSorted(byId)).toEqual(all.toSorted(byId));
        for (const { held, rest } of folds) {
          expect(held.length + rest.length).toBe(all.length);
          expect(rest.filter((run) => held.includes(run))).toEqual([]);
        }
      }),
    );
  });

  it('leave sources whole, and are the same in whatever order the runs come', () => {
    fc.assert(
      fc.property(runs, (all) => {
        const { by, folds } = foldsOf(all);
        expect(folds.length).toBeLessThanOrEqual(foldsMax);
        const named = (each: typeof folds): unknown =>
          each.map(({ name, held }) => [name, held.map(({ id }) => id).toSorted()]);
        expect(named(foldsOf(all.toReversed()).folds)).toEqual(named(folds));
        if (by === 'run') return;
        for (const { held, rest } of folds) {
          const sources = new Set(held.map(({ source }) => source));
          expect(rest.filter(({ source }) => sources.has(source))).toEqual([]);
        }
      }),
    );
  });

  it('are by run where there are too few sources to hold one out', () => {
    const all = Array.from({ length: 100 }, (_, index) => ({ id: `run ${index}`, source: 'here' }));
    const { by, folds } = foldsOf(all);
    expect(by).toBe('run');
    expect(folds).toHaveLength(5);
    for (const { held } of folds) expect(held.length).toBeGreaterThan(5);
  });
});

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}

describe('what may be learnt', () => {
  const inForce: RuleThresholds = new Map(pawlRules.map(({ id, thresholds }) => [id, thresholds]));
  const knobs = knobsOf(pawlRules);

  it('never loosens what refuses, asks or ends, and never takes advice away or puts it last', () => {
    const picks = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 30 });
    fc.assert(
      fc.property(picks, (picked) => {
        let after = inForce;
        for (const [index, choice] of picked) {
          const knob = knobs[index % knobs.length];
          const value = knob?.values[choice % knob.values.length];
          if (knob !== undefined && value !== undefined) after = turned(after, knob, value);
          expect(isNoLooser(inForce, after)).toBe(true);
        }
        for (const { advise, refuse, ask, finish } of after.values()) {
          for (const graver of [refuse, ask ?? null, finish])
            if (advise !== null && graver !== null) expect(advise).toBeLessThanOrEqual(graver);
        }
      }),
    );
  });

  it('tells when something is loosened', () => {
    const changed = (change: object): RuleThresholds =>
      new Map([...inForce, ['repeated-call', { advise: 3, refuse: null, finish: 4, ...change }]]);
    expect(isNoLooser(inForce, changed({ finish: 3 }))).toBe(true);
    expect(isNoLooser(inForce, changed({ finish: 5 }))).toBe(false);
    expect(isNoLooser(inForce, changed({ finish: null }))).toBe(false);
    expect(isNoLooser(inForce, changed({ advise: null }))).toBe(false);
    expect(isNoLooser(inForce, new Map())).toBe(false);
  });

  it('leaves a threshold of one alone, and tries seconds in large steps', () => {
    expect(knobs.filter(({ rule, level }) => rule === 'chanting' && level === 'advise')).toEqual([]);
    expect(knobs.find(({ rule, level }) => rule === 'waiting' && level === 'finish')?.values).toEqual([
      1500, 1200, 900,
    ]);
  });
});

describe('statistics', () => {
  it('take quantiles from the numbers themselves', () => {
    expect([0, 0.5, 0.9, 1].map((share) => quantile([5, 1, 4, 2, 3], share))).toEqual([1, 3, 5, 5]);
    expect(quantile([], 0.5)).toBeNull();
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { minLength: 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (all, share) => {
          const value = quantile(all, share) ?? NaN;
          expect(all).toContain(value);
          expect(all.filter((each) => each <= value).length).toBeGreaterThanOrEqual(
            share * all.length - 1e-9,
          );
        },
      ),
    );
  });

  it('know that a share may be higher than it was seen to be, the less the more was seen', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1000 }), fc.integer({ min: 1, max: 1000 }), (hits, more) => {
        const bound = upperBound(hits, hits + more);
        expect(bound).toBeGreaterThan(hits / (hits + more));
        expect(bound).toBeLessThanOrEqual(1);
        expect(upperBound(10 * hits, 10 * (hits + more))).toBeLessThan(bound);
      }),
    );
    expect(upperBound(0, 0)).toBe(1);
    expect(upperBound(0, 964)).toBeCloseTo(0.0028, 4);
  });

  it('know how many it takes', () => {
    for (const bound of [0.5, 0.1, 0.02, 0.001]) {
      expect(upperBound(0, neededFor(bound))).toBeLessThanOrEqual(bound);
      expect(upperBound(0, neededFor(bound) - 1)).toBeGreaterThan(bound);
    }
  });

  it('spread names evenly', () => {
    const parts = Map.groupBy(
      Array.from({ length: 5000 }, (_, index) => `run-${index}`),
      (id) => spread(id) % 5,
    );
    for (const { length } of parts.values()) {
      expect(length).toBeGreaterThan(900);
      expect(length).toBeLessThan(1100);
    }
  });
});

const told = (step: number, level: string): { step: number; level: string } => ({ step, level });
const solved = { success: true, lastStep: 9, work: [0, 2, 4, 6, 8, 9], judgement: null };
const endedAt = (step: number): unknown => sharesOf(solved, [told(step, 'stop')]);

describe('a score', () => {
  it('counts a solved run that would have been ended, but not at its last step', () => {
    expect(endedAt(8)).toMatchObject({
      harm: { hits: 1, of: 1 },
      noise: { hits: 1, of: 1 },
      caught: { of: 0 },
    });
    expect(endedAt(9)).toMatchObject({ harm: { hits: 0, of: 1 }, noise: { hits: 1, of: 1 } });
  });

  it('counts the steps after the end of an unsolved one, and what people judged', () => {
    const judgement = { stuck: true, from: 6 };
    const shares = sharesOf({ ...solved, success: false, judgement }, [told(2, 'nudge'), told(4, 'ask')]);
    expect(shares).toMatchObject({
      caught: { hits: 1 },
      saved: { hits: 3, of: 6 },
      told: { hits: 1, of: 1 },
    });
    const fine = sharesOf({ ...solved, judgement: { stuck: false, from: 0 } }, [told(9, 'stop')]);
    expect(fine).toMatchObject({ wrong: { hits: 1, of: 1 }, told: { of: 0 } });
  });

  it('is in per cent, and nothing where there is nothing to take a share of', () => {
    expect(scoreOf(sumOf([sharesOf(solved, []), sharesOf(solved, [told(1, 'stop')])]))).toEqual({
      harm: 50,
      noise: 50,
      caught: null,
      saved: null,
      told: null,
      wrong: null,
    });
  });
});
