import type { CallObservation, FileContentChange } from '../observations/call-observation.ts';
import { errorStreak, failureStreak, interleavedErrors, repeatedFailure } from './error-rules.ts';
import type { CallRule, RuleMatch } from './rule.ts';
import { isSameObservation, takeTailWhile, hasEarlierMatch, isNewOutcome } from './window-queries.ts';

/** Consecutive identical calls with the same outcome. */
export const repeatedCall: CallRule = {
  id: 'repeated-call',
  isOnKnownOutcomes: true,
  rationale:
    'A call that is repeated word for word with the same result provides no new information. One repetition may be an ' +
    'accident; by the third nothing has happened that could change the result. A call without output shows the agent ' +
    'no result that it could recognize, so it may be repeated once more.',
  thresholds: { advise: 3, block: null, stop: 4 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined || last.error !== null) return null;
    const evidence = takeTailWhile(window, (each) => isSameObservation(each, last));
    return {
      count: evidence.length - Number(last.isOutputEmpty),
      evidence,
      loop: last.call,
      reason: `${last.tool} was called ${evidence.length} times in a row with the same arguments and the same result`,
      advice: `You have called ${last.tool} ${evidence.length} times in a row with the same arguments, and the result was the same each time. It will not change by asking again: use what you have, or do something else.`,
    };
  },
};

/** One call that recurs with the same outcome, among other calls. */
export const recurringCall: CallRule = {
  id: 'again-and-again',
  isOnKnownOutcomes: true,
  rationale:
    'A call that returns the same result five times, with other calls in between, is one that the agent does not ' +
    'remember. Running the same test after each change looks alike, so the rule only advises.',
  thresholds: { advise: 5, block: null, stop: null },
  match(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    const evidence = window.filter((each) => isSameObservation(each, last));
    return {
      count: evidence.length,
      evidence,
      loop: last.call,
      reason: `${last.tool} was called ${evidence.length} times with the same arguments and the same result, among other calls`,
      advice: `You have called ${last.tool} with these very arguments ${evidence.length} times by now, and the result was always the same. Keep it in mind instead of asking again.`,
    };
  },
};

/** How often some call must have occurred before repeated ground counts as a cycle. */
const lapsMin = 3;

/** Maximum count of a second lap, however long: enough for advice. */
const secondLapMax = 4;

/**
 * Only calls that were made before with the same outcomes: a cycle of any length that fits into the window, in any
 * order. A second lap, such as rereading files, is not enough; a third is.
 */
export const callCycle: CallRule = {
  id: 'round-and-round',
  isOnKnownOutcomes: true,
  rationale:
    'If the latest calls and their results have all occurred before, the agent repeats a cycle. Checking something a ' +
    'second time can be useful, so one of the calls must have occurred three times.',
  thresholds: { advise: 3, block: null, stop: 5 },
  match(window) {
    const evidence = takeTailWhile(window, (each, index) =>
      hasEarlierMatch(window, index, (earlier) => isSameObservation(earlier, each)),
    );
    if (evidence.length === 0) return null;
    const isThirdLap = evidence.some((each) => countOccurrences(window, each) >= lapsMin);
    return {
      count: isThirdLap ? evidence.length : Math.min(evidence.length, secondLapMax),
      evidence,
      loop: evidence.map((each) => each.call).toSorted()[0] ?? '',
      reason: `the last ${evidence.length} calls had all been made before, with the same results`,
      advice: `Your last ${evidence.length} calls were all calls you had made before, and the results were the same. You are going over known ground: write down what you know from it, and do something you have not done yet.`,
    };
  },
};

function countOccurrences(window: readonly CallObservation[], each: CallObservation): number {
  return window.filter((other) => isSameObservation(other, each)).length;
}

/** Different calls of one tool that all return the same answer. */
export const sameAnswer: CallRule = {
  id: 'same-answer',
  isOnKnownOutcomes: true,
  rationale:
    'If a tool answers different calls with the same text, the calls miss their target. Tools that only report that ' +
    'they are done are common, so the rule only advises.',
  thresholds: { advise: 6, block: null, stop: null },
  match(window) {
    const last = window.at(-1);
    // Tools that change something often return only a confirmation, so identical answers mean nothing.
    if (last === undefined || last.isOutputEmpty || last.change !== null) return null;
    const evidence = takeTailWhile(
      window,
      (each) => each.tool === last.tool && each.outcome === last.outcome,
    );
    return {
      count: evidence.length,
      evidence,
      loop: `${last.tool} ${last.outcome}`,
      reason: `${last.tool} gave the same answer ${evidence.length} times in a row`,
      advice: `${last.tool} has given you the same answer ${evidence.length} times in a row, whatever you asked it. Another variation will not change that: use the answer, or use something else.`,
    };
  },
};

/** Other requests that return the same: the same words in another order, or another request with known content. */
export const sameQuery: CallRule = {
  id: 'same-query',
  isOnKnownOutcomes: true,
  rationale:
    'If the same words in another order, or with another limit, return the same results, this search does not find ' +
    'the answer. Neither does a question in other words, or with an argument that the tool ignores, that leads to ' +
    'content which is already known; short answers are often confirmations and do not count there. Paging through ' +
    'results returns something else each time.',
  thresholds: { advise: 3, block: null, stop: null },
  match(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    const words = matchSameWords(window, last);
    const content = matchKnownContent(window, last);
    return (content?.count ?? 0) > (words?.count ?? 0) ? content : words;
  },
};

export function matchSameWords(window: readonly CallObservation[], last: CallObservation): RuleMatch | null {
  const { tool, query, outcome } = last;
  if (query === null) return null;
  const evidence = window.filter(
    (each) => each.query === query && each.tool === tool && each.outcome === outcome,
  );
  return {
    count: evidence.length,
    evidence,
    loop: `${tool} ${query}`,
    reason: `${tool} was asked for the same words ${evidence.length} times, with the same result`,
    advice: `You have searched for the same words with ${tool} ${evidence.length} times, and what came back was the same each time. Search for something else, or work with what was found.`,
  };
}

function matchKnownContent(window: readonly CallObservation[], last: CallObservation): RuleMatch | null {
  const evidence = takeTailWhile(window, (_, index) => isKnownContent(window, index));
  const start = window.length - evidence.length;
  // Equal calls with equal results are the matter of other rules.
  const isReworded = evidence.some(({ call, outcome }, index) =>
    hasEarlierMatch(window, start + index, (each) => each.outcome === outcome && each.call !== call),
  );
  if (!isReworded) return null;
  return {
    count: evidence.length,
    evidence,
    loop: `known ${last.outcome}`,
    reason: `the last ${evidence.length} calls returned only what earlier calls had returned`,
    advice: `Your last ${evidence.length} calls returned only what earlier calls had returned, although you asked in another way. Use what you have, or look somewhere else.`,
  };
}

function isKnownContent(window: readonly CallObservation[], index: number): boolean {
  const observation = window[index];
  if (observation?.isLongOutput !== true || observation.error !== null || observation.change !== null)
    return false;
  return hasEarlierMatch(window, index, ({ outcome }) => outcome === observation.outcome);
}

/** A file that keeps returning to earlier content. */
export const editAndRevert: CallRule = {
  id: 'edit-and-revert',
  rationale:
    'If an edit restores earlier content and the next edit removes it again, the file is where it was, and both ' +
    'versions have been tried. Reverting a change once, or applying it once more, is ordinary work and does not ' +
    'count.',
  unit: 'reverts',
  thresholds: { advise: 2, block: null, stop: 4 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined || last.change === null) return null;
    const { target, to } = last.change;
    const evidence = findReversions(window, target, to);
    return {
      count: evidence.length,
      evidence,
      loop: target,
      reason: `a file was brought back to what it held before, ${evidence.length} times`,
      advice: `You have brought this file back to what it held before ${evidence.length} times. The two versions do not settle it: find out what decides between them before you edit it again.`,
    };
  },
};

/** Returns the changes that restored content which had been replaced. */
function findReversions(
  window: readonly CallObservation[],
  target: string,
  state: string,
): readonly CallObservation[] {
  const found: CallObservation[] = [];
  let wasThere = false;
  let wasLeft = false;
  for (const each of window) {
    if (each.change === null || each.change.target !== target) continue;
    const { from, to } = each.change;
    if (to === state) {
      if (wasLeft) found.push(each);
      wasThere = true;
      wasLeft = false;
    } else if (from === state) {
      // The content was removed, even if it existed before the window.
      wasLeft = true;
    } else if (wasThere && from === null) wasLeft = true;
  }
  return found;
}

/** Maximum count if other calls in between brought something new, or if the changes differ: enough for advice. */
const editAdviceMax = 4;

/** One change that is made again, or one piece of text that is changed again as soon as it is written. */
export const repeatedEdit: CallRule = {
  id: 'repeated-edit',
  since: 5,
  rationale:
    'A change that is made a second time has either no effect or a double effect, such as a function that is inserted ' +
    'twice. The result looks new each time, because line numbers and file sizes grow, so this rule compares only the ' +
    'change. An edit that replaces exactly what the previous edit wrote, with no other call in between, is a guess ' +
    'after a guess. That, or other calls in between that bring something new, earn advice only.',
  unit: 'edits',
  thresholds: { advise: 3, block: null, stop: 6 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined || last.change === null) return null;
    const reapplied = matchReappliedChange(window, last, last.change);
    const rewrites = matchRewrites(window, last.change);
    return rewrites.count > reapplied.count ? rewrites : reapplied;
  },
};

function matchReappliedChange(
  window: readonly CallObservation[],
  { tool, call }: CallObservation,
  change: FileContentChange,
): RuleMatch {
  const isSameChange = (each: CallObservation): boolean => isEqualChange(each.change, change);
  const tail = takeTailWhile(window, (each) => each.change === null || isSameChange(each));
  const evidence = tail.filter(isSameChange);
  const start = window.length - tail.length;
  const hasProgress = tail.some((each, index) => !isSameChange(each) && isNewOutcome(window, start + index));
  return {
    count: hasProgress ? Math.min(evidence.length, editAdviceMax) : evidence.length,
    evidence,
    loop: `reapplied ${call}`,
    reason: `${tool} made the same change ${evidence.length} times, and no other change in between`,
    advice: `You have made exactly this change with ${tool} ${evidence.length} times. Read the file to see what the change did, undo the duplicates, and continue from there.`,
  };
}

/** The first edit of a piece is not yet a rewrite of it. */
function matchRewrites(window: readonly CallObservation[], { target }: FileContentChange): RuleMatch {
  const evidence = takeTailWhile(window, ({ change }, index) => {
    const next = window[index + 1];
    return change?.target === target && (next === undefined || next.change?.from === change.to);
  });
  // Going back to an earlier version is the matter of another rule.
  const isForward = new Set(evidence.map(({ change }) => change?.to)).size === evidence.length;
  return {
    count: isForward ? Math.min(evidence.length - 1, editAdviceMax) : 0,
    evidence,
    loop: `rewritten ${target}`,
    reason: `the same piece of a file was rewritten ${evidence.length} times in a row`,
    advice: `You have rewritten the same piece of this file ${evidence.length} times in a row. Find out why the latest version does not work before you write another.`,
  };
}

function isEqualChange(a: FileContentChange | null, b: FileContentChange): boolean {
  return a !== null && a.target === b.target && a.from === b.from && a.to === b.to;
}

/** Consecutive calls that find nothing. */
export const fruitlessSearch: CallRule = {
  id: 'fruitless-search',
  since: 5,
  rationale:
    'Each search that finds nothing rules something out, but many in a row mean that the agent looks in the wrong place ' +
    'or for the wrong words. Checks that something is absent also find nothing, so the stop comes late.',
  thresholds: { advise: 5, block: null, stop: 16 },
  match(window) {
    const evidence = takeTailWhile(window, ({ status }) => status === 'empty');
    if (evidence.length === 0) return null;
    return {
      count: evidence.length,
      evidence,
      loop: 'fruitless-search',
      reason: `the last ${evidence.length} calls found nothing`,
      advice: `Your last ${evidence.length} calls found nothing. List what exists instead of guessing names, or search for a shorter and more common word.`,
    };
  },
};

/** A long run of calls without a new outcome. */
export const noProgress: CallRule = {
  id: 'no-progress',
  rationale:
    'Twelve calls without a success that adds information are many. The problem may simply be hard, so the rule only ' +
    'advises.',
  thresholds: { advise: 12, block: null, stop: null },
  match(window) {
    const evidence = takeTailWhile(window, (_, index) => !isNewOutcome(window, index));
    if (evidence.length === 0) return null;
    return {
      count: evidence.length,
      evidence,
      loop: 'no-progress',
      reason: `the last ${evidence.length} calls brought nothing new`,
      advice: `Nothing new has come of your last ${evidence.length} calls. Say in one sentence what you know and what is missing, and take the step that would tell you most.`,
    };
  },
};

/** Minimum length of a cycle: a second look at two or three things is common. */
const cycleMin = 4;

/** Rules that find something else in calls that had all been made before. */
const otherRules = [
  repeatedFailure,
  errorStreak,
  failureStreak,
  fruitlessSearch,
  interleavedErrors,
  recurringCall,
  sameAnswer,
];

/** Several rules match at once, each too weakly to end the work. */
export const combinedMatches: CallRule = {
  id: 'combined-matches',
  isOnKnownOutcomes: true,
  since: 5,
  rationale:
    'A run of calls that had all been made before may be a review, and a run of errors may be a search for the right ' +
    'form. Both at once are neither: the agent repeats itself, and it fails or learns nothing by it.',
  unit: 'matching rules',
  thresholds: { advise: null, block: null, stop: 2 },
  match(window) {
    const cycle = callCycle.match(window);
    if (cycle === null || cycle.evidence.length < cycleMin) return null;
    const others = otherRules.flatMap(({ match, thresholds }) => {
      const found = match(window);
      return found !== null && found.count >= (thresholds.advise ?? Infinity) ? [found] : [];
    });
    const [other] = others;
    if (other === undefined) return null;
    return {
      count: 1 + others.length,
      evidence: cycle.evidence,
      loop: cycle.loop,
      reason: `${cycle.reason}, and ${other.reason}`,
      advice: cycle.advice,
    };
  },
};
