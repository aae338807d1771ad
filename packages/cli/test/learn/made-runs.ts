import { pawlRules, type RecordedRun, type RecordedStep } from '@pawl/core';
import { leastOf } from '../../src/learn/knobs.ts';
import { factsOf, type RunFacts } from '../../src/learn/run-facts.ts';

/** A call and what came of it, in short: `read a=text`, or `read a!message` for one that fails. */
function steps(...calls: readonly string[]): readonly RecordedStep[] {
  return calls.map((call, i) => {
    const [, tool = '', arg = '', sign, said = ''] = /^(\w+) ([^=!]*)([=!])(.*)$/.exec(call) ?? [];
    return { i, role: 'assistant', tool, args: { arg }, result: said, error: sign === '!' };
  });
}

export const times = (count: number, call: string): readonly string[] =>
  Array.from({ length: count }, () => call);

/** Some work that brings something new each time. */
export const work = (count: number, name = 'w'): readonly string[] =>
  Array.from({ length: count }, (_, index) => `read ${name}${index}=text of ${name} ${index}`);

export function run(
  id: string,
  source: string,
  success: boolean | null,
  calls: readonly string[],
): RecordedRun {
  return { id, source, success, steps: steps(...calls) };
}

/**
 * Runs of three sources: the solved ones at times ask for the same thing twice and go on, those that fail ask for it again
 * and again. As the rules are, that ends at the fourth time; the third would do.
 */
export function patientWorld(sources = ['alpha', 'beta', 'gamma']): readonly RecordedRun[] {
  return sources.flatMap((source) => [
    ...Array.from({ length: 50 }, (_, index) =>
      run(`${source}-solved-${index}`, source, true, [
        ...work(3, 'a'),
        ...times(index % 5 === 0 ? 2 : 1, 'list x=the same'),
        ...work(3, 'b'),
      ]),
    ),
    ...Array.from({ length: 15 }, (_, index) =>
      run(`${source}-failed-${index}`, source, false, [...work(2, 'a'), ...times(9, 'list x=the same')]),
    ),
  ]);
}

const counting = { rules: pawlRules, least: leastOf(pawlRules) };

export function facts(runs: readonly RecordedRun[]): readonly RunFacts[] {
  return runs.map((each) =>
    factsOf(
      { run: each, source: each.source ?? '', success: each.success ?? null, judgement: null },
      counting,
    ),
  );
}
