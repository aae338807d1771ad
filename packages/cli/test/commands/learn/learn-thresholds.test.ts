import { pawlRules } from '@pawl/governor/rules';
import type { RecordedRun } from '@pawl/governor/traces';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAtLeastAsStrict } from '../../../src/commands/learn/tunable-thresholds.ts';
import { learnThresholds, type LearningResult } from '../../../src/commands/learn/learn-thresholds.ts';
import { listWorseMeasures } from '../../../src/commands/learn/threshold-score.ts';
import {
  extractFacts,
  createTrainingRuns,
  createRun,
  repeatCall,
  createProductiveCalls,
} from './training-runs.ts';

const currentThresholds = new Map(pawlRules.map(({ id, thresholds }) => [id, thresholds]));

function learnToEnd(runs: readonly RecordedRun[]): LearningResult {
  const steps = learnThresholds(extractFacts(runs), pawlRules);
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}

const failures = ['no such file', 'permission denied', 'timed out', 'syntax error', 'not found'];

/** Five failures of different kinds, then progress: advice at the fifth failure is one too early. */
function createBumpyRuns(source: string): readonly RecordedRun[] {
  return Array.from({ length: 5 }, (_, index) =>
    createRun(`${source}-bumpy-${index}`, source, true, [
      ...createProductiveCalls(2),
      ...failures.map((message, at) => `try${at} a${at}!${message}`),
      ...createProductiveCalls(3, 'z'),
    ]),
  );
}

describe('learning thresholds', () => {
  it('ends runs earlier if no solved run reached the count and many came near, and reports what would have changed', () => {
    const { outcome, proposal, crossValidation, data } = learnToEnd(createTrainingRuns());
    expect(outcome).toEqual({ kind: 'proposed' });
    expect(data).toMatchObject({ runs: 195, solved: 150, unsolved: 45, sources: 3, solvedNeeded: 133 });
    expect(proposal?.changes).toEqual([
      {
        rule: 'repeated-call',
        severity: 'stop',
        from: 4,
        to: 3,
        reached: { solved: 0, unsolved: 45, unknown: 0 },
        nearMisses: { runs: 30, sources: 3 },
        chosenIn: 3,
        isUnannounced: true,
      },
    ]);
    expect(proposal?.changed).toHaveLength(45);
    expect(proposal?.changed[0]).toEqual({
      run: 'alpha-failed-0',
      source: 'alpha',
      success: false,
      was: 5,
      is: 4,
      steps: 1,
    });
    expect(crossValidation?.by).toBe('source');
    expect(crossValidation?.learnt.shares.harm).toEqual({ hits: 0, of: 150 });
    // One more of the eleven steps in each failed run, with every source held out in turn.
    expect(crossValidation?.inForce.shares.saved).toEqual({ hits: 45 * 5, of: 45 * 11 });
    expect(crossValidation?.learnt.shares.saved).toEqual({ hits: 45 * 6, of: 45 * 11 });
  });

  it('does not if one source has a solved run that reached the count', () => {
    const patient = createRun('patient', 'gamma', true, [
      ...createProductiveCalls(2),
      ...repeatCall(3, 'list x=the same'),
      ...createProductiveCalls(2, 'z'),
    ]);
    const { outcome, proposal } = learnToEnd([...createTrainingRuns(), patient]);
    expect(outcome).toEqual({ kind: 'nothing' });
    expect(proposal).toBeNull();
  });

  it('does not if no solved run came near, because nothing is known about such runs', () => {
    const quick = createTrainingRuns().filter(({ id }) => !/solved-\d*[05]$/.test(id));
    const more = createTrainingRuns(['delta']).filter(({ id }) => !/solved-\d*[05]$/.test(id));
    const { outcome, data } = learnToEnd([...quick, ...more]);
    expect(data.solved).toBe(160);
    expect(outcome).toEqual({ kind: 'nothing' });
  });

  it('does not if only few solved runs came near, or only those of one source', () => {
    const sources = ['alpha', 'beta', 'gamma', 'delta'];
    const few = createTrainingRuns(sources).filter(
      ({ id }) => !/solved-(?:\d*[05])$/.test(id) || id.endsWith('-0'),
    );
    expect(learnToEnd(few).outcome).toEqual({ kind: 'nothing' });
    const ofOne = createTrainingRuns(sources).filter(
      ({ id }) => !/solved-(?:\d*[05])$/.test(id) || id.startsWith('a'),
    );
    expect(learnToEnd(ofOne).outcome).toEqual({ kind: 'nothing' });
    expect(learnToEnd(createTrainingRuns(sources)).outcome).toEqual({ kind: 'proposed' });
  });

  it('drops a change that only one source supports, and keeps one that all support', () => {
    const sources = ['alpha', 'beta', 'gamma', 'delta'];
    const { proposal } = learnToEnd([...createTrainingRuns(sources), ...createBumpyRuns('epsilon')]);
    expect(proposal?.changes.map(({ rule }) => rule)).toEqual(['repeated-call']);
    expect(proposal?.score.shares.noise.hits).toBe(5);
  });

  it('reports the scores on held-out sources if they are worse', () => {
    // Without this source the change looks safe; with it, solved runs would be ended.
    const elsewhere = Array.from({ length: 5 }, (_, index) =>
      createRun(`patient-${index}`, 'delta', true, [
        ...createProductiveCalls(2),
        ...repeatCall(3, 'list x=the same'),
        ...createProductiveCalls(2, 'z'),
      ]),
    );
    const { outcome, crossValidation } = learnToEnd([...createTrainingRuns(), ...elsewhere]);
    expect(outcome).toEqual({ kind: 'nothing' });
    const held = crossValidation?.folds.find(({ name }) => name === 'delta');
    expect(held?.learnt.shares.harm).toEqual({ hits: 5, of: 5 });
    expect(held?.inForce.shares.harm).toEqual({ hits: 0, of: 5 });
  });

  it('reports that there are too few runs, and how many are needed', () => {
    const { outcome, data, proposal, crossValidation } = learnToEnd(createTrainingRuns(['alpha']));
    expect(outcome).toEqual({ kind: 'too-little' });
    expect(data).toMatchObject({ solved: 50, solvedNeeded: 133, unsolved: 15, unsolvedNeeded: 30 });
    expect([proposal, crossValidation]).toEqual([null, null]);
    expect(learnToEnd([]).outcome).toEqual({ kind: 'too-little' });
  });

  it('delays advice that only disturbs successful runs', () => {
    const bumpy = ['alpha', 'beta', 'gamma'].flatMap(createBumpyRuns);
    const { proposal, outcome } = learnToEnd([...createTrainingRuns(), ...bumpy]);
    expect(outcome.kind).toBe('proposed');
    const [, advice] = proposal?.changes ?? [];
    expect(advice).toMatchObject({ rule: 'nothing-works', severity: 'advise', from: 5, to: 6 });
    expect(proposal?.score.shares.noise.hits).toBe(0);
  });

  it('yields the name of each held-out fold, so that the caller can stop in between', () => {
    const names = [...learnThresholds(extractFacts(createTrainingRuns()), pawlRules)];
    expect(names).toEqual(['nothing', 'alpha', 'beta', 'gamma']);
  });

  it('gives the same result for any order of the runs', () => {
    const forwards = learnToEnd(createTrainingRuns());
    const backwards = learnToEnd(createTrainingRuns().toReversed());
    expect(backwards.proposal?.changes).toEqual(forwards.proposal?.changes);
    expect(backwards.proposal?.changed).toEqual(forwards.proposal?.changed);
    expect(backwards.crossValidation?.learnt.shares).toEqual(forwards.crossValidation?.learnt.shares);
  });

  it('never proposes looser thresholds, or ones that are worse on any measure, on these runs or held out', () => {
    const call = fc.tuple(
      fc.constantFrom('list x=same', 'read a=one', 'read a=two', 'run t!boom', 'run u!bang', 'fresh'),
      fc.integer({ min: 1, max: 5 }),
    );
    const runs = fc.array(fc.tuple(fc.array(call, { maxLength: 6 }), fc.boolean()), {
      minLength: 250,
      maxLength: 300,
    });
    fc.assert(
      fc.property(runs, (all) => {
        const created = all.map(([calls, success], index) =>
          createRun(`r${index}`, `s${index % 4}`, success, [
            ...calls.flatMap(([each, count], at) =>
              each === 'fresh' ? createProductiveCalls(count, `f${at}`) : repeatCall(count, each),
            ),
            'read end=end',
          ]),
        );
        const { proposal, inForce: before, crossValidation } = learnToEnd(created);
        if (proposal === null || crossValidation === null) return;
        expect(isAtLeastAsStrict(currentThresholds, proposal.thresholds)).toBe(true);
        expect(listWorseMeasures(proposal.score, before)).toEqual([]);
        expect(listWorseMeasures(crossValidation.learnt, crossValidation.inForce)).toEqual([]);
      }),
      { numRuns: 5, endOnFailure: true },
    );
  });
});
