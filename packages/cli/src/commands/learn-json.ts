import type { CrossValidation } from '../learn/cross-validate.ts';
import type { ChangedRun, Learnt, Proposal } from '../learn/learn.ts';
import type { Needs } from '../learn/needs.ts';
import type { Pattern } from '../learn/patterns.ts';
import type { Weight } from '../learn/weigh.ts';

export type LearnReport = {
  readonly learnt: Learnt;
  readonly patterns: readonly Pattern[];
  readonly needs: Needs;
};

/** How many runs are told of one by one; the rest are counted. */
const changedMax = 1_000;

/** What was learnt, as one object of plain JSON. */
export function learnJson({ learnt, patterns, needs }: LearnReport, written: string | null): object {
  const { data, outcome, inForce, proposal, crossValidation } = learnt;
  return {
    type: 'learn',
    outcome: outcome.kind,
    worse: outcome.kind === 'not-held' ? outcome.worse : [],
    data,
    patterns,
    needs,
    inForce: inForce.shares,
    proposal: proposal === null ? null : proposalJson(proposal),
    heldOut: crossValidation === null ? null : heldOutJson(crossValidation),
    written,
  };
}

function proposalJson({ changes, weight, harmBound, changed }: Proposal): object {
  return {
    changes,
    shares: weight.shares,
    harmBound,
    earlier: changed.filter(isEarlier).length,
    later: changed.filter((run) => !isEarlier(run)).length,
    runs: changed.slice(0, changedMax),
  };
}

export function isEarlier({ was, is }: ChangedRun): boolean {
  return is !== null && (was === null || is < was);
}

function heldOutJson({ by, folds, ...sums }: CrossValidation): object {
  return {
    by,
    folds: folds.map(({ name, runs, chosen, ...weights }) => ({
      name,
      runs,
      // Names of rules are ours, so that none of them can be one that an object has already.
      chosen: Object.fromEntries(chosen),
      ...sharesOf(weights),
    })),
    ...sharesOf(sums),
  };
}

function sharesOf({ inForce, learnt }: { readonly inForce: Weight; readonly learnt: Weight }): object {
  return { inForce: inForce.shares, learnt: learnt.shares };
}
