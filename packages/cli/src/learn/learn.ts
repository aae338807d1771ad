import type { Level, Rule, Thresholds } from '@pawl/core';
import { choose } from './choose.ts';
import { crossValidating, type CrossValidation } from './cross-validate.ts';
import { isNoLooser, knobsOf, type Knob } from './knobs.ts';
import { nearMissesOf, type NearMisses } from './near-misses.ts';
import type { RunFacts } from './run-facts.ts';
import { isEnding } from './score.ts';
import { neededFor, upperBound } from './statistics.ts';
import { verdictsOn, type RuleThresholds, ladder } from './verdicts.ts';
import { weigh, worseIn, type Measure, type Weight } from './weigh.ts';

/** What came of learning thresholds. */
export type Learnt = {
  readonly data: DataAtHand;
  readonly inForce: Weight;
  readonly proposal: Proposal | null;
  /** Null where there is too little to try anything on. */
  readonly crossValidation: CrossValidation | null;
  readonly outcome: Outcome;
};

/**
 * proposed    there are thresholds that do better, also on runs they were not chosen on
 * nothing     no other thresholds do better
 * not-held    what was chosen is worse on runs it was not chosen on
 * too-little  there are too few runs to say anything
 */
export type Outcome =
  | { readonly kind: 'proposed' | 'nothing' | 'too-little' }
  | { readonly kind: 'not-held'; readonly worse: readonly Measure[] };

export type DataAtHand = {
  readonly runs: number;
  readonly solved: number;
  readonly unsolved: number;
  readonly sources: number;
  readonly solvedNeeded: number;
  readonly unsolvedNeeded: number;
};

export type Proposal = {
  readonly changes: readonly Change[];
  readonly thresholds: RuleThresholds;
  readonly weight: Weight;
  /** What the share of solved runs that would be ended may well be in truth, by the runs held out. */
  readonly harmBound: number;
  readonly changed: readonly ChangedRun[];
};

/** One threshold that is to be another, and why. */
export type Change = {
  readonly rule: string;
  readonly level: Level;
  readonly from: number;
  readonly to: number;
  /** Runs in which the rule counts up to the new threshold, by outcome. */
  readonly reached: { readonly solved: number; readonly unsolved: number; readonly unknown: number };
  readonly nearMisses: NearMisses;
  /** In how many of the folds the same was chosen without them. */
  readonly chosenIn: number;
  /** Whether advice no longer comes before the end. */
  readonly isUnannounced: boolean;
};

/** A run that would have ended elsewhere: after which step it ends; null for not at all. */
export type ChangedRun = {
  readonly run: string;
  readonly source: string;
  readonly success: boolean | null;
  readonly was: number | null;
  readonly is: number | null;
  /** The agent's own steps that are between the two. */
  readonly steps: number;
};

/** A solved run in fifty that is ended is already too many, so it must be likely that there are fewer. */
const harmMax = 0.02;
const unsolvedNeeded = 30;

/**
 * The thresholds of these rules that past runs speak for. Deterministic: the same runs give the same. It may take long, and
 * yields now and then, saying what it leaves out at the moment.
 */
export function* learning(
  runs: readonly RunFacts[],
  rules: readonly Rule[],
): Generator<string, Learnt, undefined> {
  const inForce: RuleThresholds = new Map(rules.map(({ id, thresholds }) => [id, thresholds]));
  const data = dataOf(runs);
  const base = { data, inForce: weigh(runs, inForce) };
  if (data.solved < data.solvedNeeded || data.unsolved < data.unsolvedNeeded)
    return { ...base, proposal: null, crossValidation: null, outcome: { kind: 'too-little' } };
  const knobs = knobsOf(rules);
  yield 'nothing';
  const chosen = choose(runs, inForce, knobs);
  const crossValidation = yield* crossValidating(runs, inForce, knobs);
  const tried = { ...base, crossValidation };
  if (!isNoLooser(inForce, chosen)) throw new Error('A limit would be loosened: this must not happen.');
  const changes = changesOf(runs, { knobs, inForce, chosen, folds: crossValidation.folds });
  if (changes.length === 0) return { ...tried, proposal: null, outcome: { kind: 'nothing' } };
  const worse = worseIn(crossValidation.learnt, crossValidation.inForce);
  const { harm } = crossValidation.learnt.shares;
  const harmBound = upperBound(harm.hits, harm.of);
  if (worse.length > 0) return { ...tried, proposal: null, outcome: { kind: 'not-held', worse } };
  const changed = changedRuns(runs, inForce, chosen);
  const proposal = { changes, thresholds: chosen, weight: weigh(runs, chosen), harmBound, changed };
  return { ...tried, proposal, outcome: { kind: 'proposed' } };
}

function dataOf(runs: readonly RunFacts[]): DataAtHand {
  return {
    runs: runs.length,
    solved: runs.filter(({ success }) => success === true).length,
    unsolved: runs.filter(({ success }) => success === false).length,
    sources: new Set(runs.map(({ source }) => source)).size,
    solvedNeeded: neededFor(harmMax),
    unsolvedNeeded,
  };
}

type Choice = {
  readonly knobs: readonly Knob[];
  readonly inForce: RuleThresholds;
  readonly chosen: RuleThresholds;
  readonly folds: CrossValidation['folds'];
};

function changesOf(runs: readonly RunFacts[], { knobs, inForce, chosen, folds }: Choice): readonly Change[] {
  const times = new Set(knobs.flatMap(({ rule, isTime }) => (isTime ? [rule] : [])));
  return [...inForce].flatMap(([rule, was]) => {
    const is = chosen.get(rule) ?? was;
    return ladder.flatMap((level): readonly Change[] => {
      const [from, to] = [was[level] ?? null, is[level] ?? null];
      if (from === null || to === null || from === to) return [];
      return [
        {
          rule,
          level,
          from,
          to,
          reached: reachedIn(runs, rule, to),
          nearMisses: nearMissesOf(runs, { rule, isTime: times.has(rule) }, to),
          chosenIn: folds.filter((fold) => fold.chosen.get(rule)?.[level] === to).length,
          isUnannounced: level === 'finish' && isAnnounced(was) && !isAnnounced(is),
        },
      ];
    });
  });
}

function isAnnounced({ advise, finish }: Thresholds): boolean {
  return advise !== null && finish !== null && advise < finish;
}

function reachedIn(runs: readonly RunFacts[], rule: string, value: number): Change['reached'] {
  const reached = runs.filter(({ counts }) =>
    counts.some((each) => each.rule === rule && each.count >= value),
  );
  const of = (success: boolean | null): number => reached.filter((run) => run.success === success).length;
  return { solved: of(true), unsolved: of(false), unknown: of(null) };
}

function changedRuns(
  runs: readonly RunFacts[],
  inForce: RuleThresholds,
  chosen: RuleThresholds,
): readonly ChangedRun[] {
  return runs
    .flatMap((run): readonly ChangedRun[] => {
      const [was, is] = [endOf(run, inForce), endOf(run, chosen)];
      if (was === is) return [];
      const [from, to] = [
        Math.min(was ?? Infinity, is ?? Infinity),
        Math.max(was ?? Infinity, is ?? Infinity),
      ];
      const steps = run.work.filter((step) => step > from && step <= to).length;
      return [{ run: run.id, source: run.source, success: run.success, was, is, steps }];
    })
    .toSorted((a, b) => b.steps - a.steps || (a.run < b.run ? -1 : 1));
}

/** After which step a run ends; null where it goes on to its own end. */
function endOf(run: RunFacts, thresholds: RuleThresholds): number | null {
  const end = verdictsOn(run.counts, thresholds).find(isEnding);
  return end === undefined || end.step >= run.lastStep ? null : end.step;
}
