import { audit, pawlRules, type RecordedRun, type RecordedStep, type Rule } from '@pawl/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countsIn } from '../../src/learn/counts.ts';
import { knobsOf, leastOf, turned } from '../../src/learn/knobs.ts';
import { verdictsOn, type RuleThresholds } from '../../src/learn/verdicts.ts';
import { run, times, work } from './made-runs.ts';

const inForce: RuleThresholds = new Map(pawlRules.map(({ id, thresholds }) => [id, thresholds]));
const knobs = knobsOf(pawlRules);
const least = leastOf(pawlRules);

/** Steps of few kinds, so that they repeat in every way there is. */
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

/** Stretches of the same step, since what is drawn alone seldom repeats. */
const recorded = fc
  .array(fc.tuple(step, fc.integer({ min: 1, max: 6 })), { maxLength: 20 })
  .map((parts): RecordedRun => {
    const all = parts.flatMap(([each, count]) => Array.from({ length: count }, () => each));
    return { id: 'r', steps: all.map((each, i): RecordedStep => ({ i: i * 2, ...each })) };
  });

const turns = fc
  .array(fc.tuple(fc.nat({ max: knobs.length - 1 }), fc.nat()), { maxLength: 6 })
  .map((picked) =>
    picked.reduce((all, [index, choice]) => {
      const knob = knobs[index];
      const value = knob?.values[choice % knob.values.length];
      return knob === undefined || value === undefined ? all : turned(all, knob, value);
    }, inForce),
  );

function rulesWith(thresholds: RuleThresholds): readonly Rule[] {
  return pawlRules.map((rule) => ({ ...rule, thresholds: thresholds.get(rule.id) ?? rule.thresholds }));
}

describe('verdicts from counts', () => {
  it('are those of an audit, whatever thresholds are tried', () => {
    fc.assert(
      fc.property(recorded, turns, (each, thresholds) => {
        const expected = audit(each, rulesWith(thresholds)).map(({ step: at, level }) => ({
          step: at,
          level,
        }));
        expect(verdictsOn(countsIn(each, pawlRules, least), thresholds)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('are said again where the governor has forgotten that it said so, as in an audit', () => {
    for (let loops = 2; loops <= 36; loops += 1) {
      const once = Array.from({ length: loops }, (_, index) => [
        ...times(
          2,
          `run t${index}!trouble of kind ${String.fromCodePoint(97 + (index % 26), 97 + Math.floor(index / 26))}`,
        ),
        ...work(1, `${index}-`),
      ]).flat();
      const again = once.map((call) => call.replace(/^read /, 'read again '));
      const each = run('loops', 's', false, [...once, ...again]);
      const expected = audit(each).map(({ step: at, level }) => ({ step: at, level }));
      expect(expected.length).toBeGreaterThanOrEqual(loops);
      expect(verdictsOn(countsIn(each, pawlRules, least), inForce)).toEqual(expected);
    }
  });

  it('are not looked for after the step at which the rules as they are end the run', () => {
    const long = run('long', 's', false, [...work(1), ...times(500, 'list x=the same')]);
    const counts = countsIn(long, pawlRules, least);
    expect(counts.length).toBeLessThan(30);
    expect(verdictsOn(counts, inForce)).toEqual([
      { step: 3, level: 'nudge' },
      { step: 4, level: 'stop' },
    ]);
  });

  it('come of no rule that has no thresholds', () => {
    const stuck = run('stuck', 's', false, times(9, 'list x=the same'));
    expect(verdictsOn(countsIn(stuck, pawlRules, least), new Map())).toEqual([]);
  });
});
