import { audit, type RecordedRun, type Rule, type Sight } from '@pawl/core';

/** How far a rule had counted after a step of a run, where that was far enough to matter. */
export type Count = {
  readonly step: number;
  readonly rule: string;
  readonly count: number;
  /** The number of the loop among those of this run: advice is given once for each. */
  readonly loop: number;
};

/**
 * What the rules count in a run, however far from their thresholds: whatever the thresholds are, the verdicts follow from
 * it. Counts below `least`, the smallest threshold worth trying, are left out, and so is all that comes after the step at which
 * the rules as they are end the run: no threshold is ever higher.
 */
export function countsIn(
  run: RecordedRun,
  rules: readonly Rule[],
  least: ReadonlyMap<string, number>,
): readonly Count[] {
  const counts: Count[] = [];
  const loops = new Map<string, number>();
  const see = ({ id }: Rule, step: number, { count, loop }: Sight): void => {
    if (count < (least.get(id) ?? Infinity)) return;
    const name = JSON.stringify([id, loop]);
    const number = loops.get(name) ?? loops.size;
    loops.set(name, number);
    counts.push({ step, rule: id, count, loop: number });
  };
  audit(
    run,
    rules.map((rule) => watched(rule, see)),
  );
  return counts;
}

/** The rule, with somebody who is told what it sees; it says nothing itself before it ends the run. */
function watched(rule: Rule, see: (rule: Rule, step: number, sight: Sight) => void): Rule {
  const { ask = null, finish } = rule.thresholds;
  const look = (window: readonly Seen[]): Sight | null => {
    // It is given what the rule itself looks at, which the compiler cannot see through the union.
    const sight = rule.look(window as readonly never[]);
    const last = window.at(-1);
    if (sight !== null && last !== undefined) see(rule, 'seq' in last ? last.seq : last.last.seq, sight);
    return sight;
  };
  return { ...rule, thresholds: { advise: null, refuse: null, ask, finish }, look };
}

type Seen = { readonly seq: number } | { readonly last: { readonly seq: number } };
