import { pawlRules } from '@pawl/governor/rules';
import type { RecordedRun, RecordedStep } from '@pawl/governor/traces';
import { computeMinThresholds } from '../../../src/commands/learn/tunable-thresholds.ts';
import { extractTrainingFacts, type TrainingFacts } from '../../../src/commands/learn/training-run.ts';

/** Parses calls in short form: `read a=text`, or `read a!message` for a failed call. */
function parseSteps(...calls: readonly string[]): readonly RecordedStep[] {
  return calls.map((call, i) => {
    const [, tool = '', arg = '', sign, result = ''] = /^(\w+) ([^=!]*)([=!])(.*)$/.exec(call) ?? [];
    return { i, role: 'assistant', tool, args: { arg }, result, error: sign === '!' };
  });
}

export const repeatCall = (count: number, call: string): readonly string[] =>
  Array.from({ length: count }, () => call);

/** Calls that each return something new. */
export const createProductiveCalls = (count: number, name = 'w'): readonly string[] =>
  Array.from({ length: count }, (_, index) => `read ${name}${index}=text of ${name} ${index}`);

export function createRun(
  id: string,
  source: string,
  success: boolean | null,
  calls: readonly string[],
): RecordedRun {
  return { id, source, success, steps: parseSteps(...calls) };
}

/**
 * Runs of three sources: solved runs sometimes repeat a call once and continue, failed runs repeat it many times. The
 * current rules end a run at the fourth time; the third would suffice.
 */
export function createTrainingRuns(sources = ['alpha', 'beta', 'gamma']): readonly RecordedRun[] {
  return sources.flatMap((source) => [
    ...Array.from({ length: 50 }, (_, index) =>
      createRun(`${source}-solved-${index}`, source, true, [
        ...createProductiveCalls(3, 'a'),
        ...repeatCall(index % 5 === 0 ? 2 : 1, 'list x=the same'),
        ...createProductiveCalls(3, 'b'),
      ]),
    ),
    ...Array.from({ length: 15 }, (_, index) =>
      createRun(`${source}-failed-${index}`, source, false, [
        ...createProductiveCalls(2, 'a'),
        ...repeatCall(9, 'list x=the same'),
      ]),
    ),
  ]);
}

const countingOptions = { rules: pawlRules, minCounts: computeMinThresholds(pawlRules) };

export function extractFacts(runs: readonly RecordedRun[]): readonly TrainingFacts[] {
  return runs.map((each) =>
    extractTrainingFacts(
      { run: each, source: each.source ?? '', success: each.success ?? null, judgment: null },
      countingOptions,
    ),
  );
}
