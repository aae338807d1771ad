import type { Rule } from '@pawl/governor';
import { auditRun } from '@pawl/governor/audit';
import { pawlRules } from '@pawl/governor/rules';
import type { RecordedRun, RecordedStep } from '@pawl/governor/traces';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  collectRuleCounts,
  judgeRuleCounts,
  type RuleThresholdMap,
} from '../../../src/commands/learn/rule-counts.ts';
import {
  listTunableThresholds,
  computeMinThresholds,
  setThreshold,
} from '../../../src/commands/learn/tunable-thresholds.ts';
import { createRun, repeatCall, createProductiveCalls } from './training-runs.ts';

const currentThresholds: RuleThresholdMap = new Map(pawlRules.map(({ id, thresholds }) => [id, thresholds]));
const tunableThresholds = listTunableThresholds(pawlRules);
const minThresholds = computeMinThresholds(pawlRules);

/** Steps of few kinds, so that they repeat in many ways. */
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      role: fc.constant('assistant' as const),
      tool: fc.constantFrom('read', 'write', 'run'),
      args: fc.record({ path: fc.constantFrom('a', 'b', 'c') }),
      result: fc.constantFrom('one', 'two', '', 'no such file'),
      error: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      role: fc.constant('assistant' as const),
      text: fc.constantFrom('I think.', 'I think so, too.', 'Well.'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      role: fc.constant('user' as const),
      text: fc.constantFrom('Go on', 'Stop', 'Why?'),
    }),
  },
);

/** Runs of the same step, because independently drawn steps rarely repeat. */
const arbitraryRun = fc
  .array(fc.tuple(step, fc.integer({ min: 1, max: 6 })), { maxLength: 20 })
  .map((parts): RecordedRun => {
    const all = parts.flatMap(([each, count]) => Array.from({ length: count }, () => each));
    return { id: 'r', steps: all.map((each, i): RecordedStep => ({ i: i * 2, ...each })) };
  });

const arbitraryThresholds = fc
  .array(fc.tuple(fc.nat({ max: tunableThresholds.length - 1 }), fc.nat()), { maxLength: 6 })
  .map((picked) =>
    picked.reduce((all, [index, choice]) => {
      const tunable = tunableThresholds[index];
      const value = tunable?.values[choice % tunable.values.length];
      return tunable === undefined || value === undefined ? all : setThreshold(all, tunable, value);
    }, currentThresholds),
  );

function applyThresholds(thresholds: RuleThresholdMap): readonly Rule[] {
  return pawlRules.map((rule) => ({ ...rule, thresholds: thresholds.get(rule.id) ?? rule.thresholds }));
}

describe('verdicts from rule counts', () => {
  it('equal those of an audit for any thresholds', () => {
    fc.assert(
      fc.property(arbitraryRun, arbitraryThresholds, (each, thresholds) => {
        const expected = auditRun(each, applyThresholds(thresholds)).map(({ step: at, severity }) => ({
          step: at,
          severity,
        }));
        expect(judgeRuleCounts(collectRuleCounts(each, pawlRules, minThresholds), thresholds)).toEqual(
          expected,
        );
      }),
      { numRuns: 300 },
    );
  });

  it('repeat once the governor no longer remembers the advised loop, as in an audit', () => {
    for (let loops = 2; loops <= 36; loops += 1) {
      const once = Array.from({ length: loops }, (_, index) => [
        ...repeatCall(
          2,
          `run t${index}!trouble of kind ${String.fromCodePoint(97 + (index % 26), 97 + Math.floor(index / 26))}`,
        ),
        ...createProductiveCalls(1, `${index}-`),
      ]).flat();
      const again = once.map((call) => call.replace(/^read /, 'read again '));
      const each = createRun('loops', 's', false, [...once, ...again]);
      const expected = auditRun(each).map(({ step: at, severity }) => ({ step: at, severity }));
      expect(expected.length).toBeGreaterThanOrEqual(loops);
      expect(judgeRuleCounts(collectRuleCounts(each, pawlRules, minThresholds), currentThresholds)).toEqual(
        expected,
      );
    }
  });

  it('are not computed after the step at which the current rules end the run', () => {
    const long = createRun('long', 's', false, [
      ...createProductiveCalls(1),
      ...repeatCall(500, 'list x=the same'),
    ]);
    const counts = collectRuleCounts(long, pawlRules, minThresholds);
    expect(counts.length).toBeLessThan(30);
    expect(judgeRuleCounts(counts, currentThresholds)).toEqual([
      { step: 3, severity: 'advise' },
      { step: 4, severity: 'stop' },
    ]);
  });

  it('are not given by a rule without thresholds', () => {
    const stuck = createRun('stuck', 's', false, repeatCall(9, 'list x=the same'));
    expect(judgeRuleCounts(collectRuleCounts(stuck, pawlRules, minThresholds), new Map())).toEqual([]);
  });
});
