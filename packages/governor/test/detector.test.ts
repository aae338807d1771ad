import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditRun } from '../src/audit-entry.ts';
import { observeCall, initialDetectorState, runDetector, type CallObservation } from '../src/index.ts';
import { pawlRules } from '../src/rules-entry.ts';
import type { RecordedRun } from '../src/traces-entry.ts';

type CallSample = {
  readonly tool: string;
  readonly path: string;
  readonly ok: boolean;
  readonly output: string;
};

const anyCallSample: fc.Arbitrary<CallSample> = fc.record({
  tool: fc.constantFrom('read', 'edit', 'shell'),
  path: fc.constantFrom('alpha', 'beta', 'gamma'),
  ok: fc.boolean(),
  output: fc.constantFrom('done', 'no match', 'timed out', 'still running', ''),
});

function observeSample(each: CallSample, seq: number): CallObservation {
  return observeCall({
    seq,
    tool: each.tool,
    args: { path: each.path },
    ok: each.ok,
    output: `${each.path}: ${each.output}`,
  });
}

function listMatches(list: readonly CallSample[], rules = pawlRules): readonly (string | null)[] {
  let state = initialDetectorState;
  return list.map((each, index) => {
    const next = runDetector(state, observeSample(each, index), rules);
    state = next.state;
    return next.match === null ? null : `${next.match.rule} ${next.match.severity} ${next.match.count}`;
  });
}

describe('watch', () => {
  it('gives the same result when run again', () => {
    fc.assert(
      fc.property(fc.array(anyCallSample, { maxLength: 80 }), (list) => {
        expect(listMatches(list)).toEqual(listMatches(list));
      }),
    );
  });

  it('has bounded state, however long the run', () => {
    fc.assert(
      fc.property(fc.array(anyCallSample, { minLength: 100, maxLength: 300 }), (list) => {
        let state = initialDetectorState;
        for (const [index, each] of list.entries())
          state = runDetector(state, observeSample(each, index), pawlRules).state;
        expect(state.windows.call.length).toBeLessThanOrEqual(48);
        expect(state.reportedLoops.length).toBeLessThanOrEqual(32);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }),
      { numRuns: 30 },
    );
  });

  it('skips a rule on known outcomes only where it would not match, whatever its thresholds', () => {
    const anyThreshold = fc.constantFrom(null, 1, 2, 3);
    const anyThresholds = fc.record({ advise: anyThreshold, block: anyThreshold, stop: anyThreshold });
    expect(pawlRules.some((rule) => 'isOnKnownOutcomes' in rule)).toBe(true);
    fc.assert(
      fc.property(fc.array(anyCallSample, { maxLength: 60 }), anyThresholds, (list, thresholds) => {
        const rules = pawlRules.map((rule) => ({ ...rule, thresholds }));
        const everywhere = rules.map((rule) => ({ ...rule, isOnKnownOutcomes: false }));
        expect(listMatches(list, rules)).toEqual(listMatches(list, everywhere));
      }),
    );
  });

  it('has no match for a new call with a new result, whatever came before', () => {
    fc.assert(
      fc.property(fc.array(anyCallSample, { maxLength: 60 }), (list) => {
        const newStep = { tool: 'write', path: 'delta', ok: true, output: 'a thing never said before' };
        expect(listMatches([...list, newStep]).at(-1)).toBeNull();
      }),
    );
  });

  it('has no match for healthy work with such a call inserted anywhere', () => {
    fc.assert(
      fc.property(fc.array(anyCallSample, { maxLength: 30 }), fc.nat(), (list, place) => {
        fc.pre(listMatches(list).every((each) => each === null));
        const newStep = { tool: 'write', path: 'delta', ok: true, output: 'a thing never said before' };
        expect(
          listMatches(list.toSpliced(place % (list.length + 1), 0, newStep)).every((each) => each === null),
        ).toBe(true);
      }),
    );
  });

  it('does not depend on file names', () => {
    const other: Record<string, string> = { alpha: 'omega', beta: 'sigma', gamma: 'kappa' };
    fc.assert(
      fc.property(fc.array(anyCallSample, { maxLength: 60 }), (list) => {
        const renamed = list.map((each) => ({ ...each, path: other[each.path] ?? each.path }));
        expect(listMatches(renamed)).toEqual(listMatches(list));
      }),
    );
  });
});

function createRepeatedRun(count: number): RecordedRun {
  const steps = Array.from({ length: count }, (_, i) => ({
    i,
    role: 'assistant' as const,
    tool: 'edit',
    args: { path: 'main.go' },
    result: 'old_string not found',
    error: true,
  }));
  return { id: 'r', steps };
}

describe('audit', () => {
  it('reports where a recorded run got stuck, by which rule and since when', () => {
    expect(
      auditRun(createRepeatedRun(6)).map(({ step, severity, rule }) => `${step} ${severity} ${rule}`),
    ).toEqual(['1 advise repeated-failure', '2 block repeated-failure', '3 stop repeated-failure']);
    expect(auditRun(createRepeatedRun(6)).at(-1)?.evidence).toEqual([0, 1, 2, 3]);
  });

  it('does not treat repeated harness prompts as user messages', () => {
    const run = createRepeatedRun(4);
    const verdicts = run.steps.flatMap((step) => [
      { i: step.i * 2, role: 'user' as const, text: 'Continue.' },
      { ...step, i: step.i * 2 + 1 },
    ]);
    expect(auditRun({ ...run, steps: verdicts }).at(-1)?.severity).toBe('stop');
  });

  it('gives no verdict on an empty run or on replies alone', () => {
    expect(auditRun({ id: 'e', steps: [] })).toEqual([]);
    expect(auditRun({ id: 't', steps: [{ i: 0, role: 'assistant', text: 'Hello.' }] })).toEqual([]);
  });
});
