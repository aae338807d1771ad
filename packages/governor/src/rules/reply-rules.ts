import { computeSimilarity, observeText, type TextObservation } from '../observations/text-observation.ts';
import type { ObservationRule, RuleMatch } from './rule.ts';
import { takeTailWhile } from './window-queries.ts';

/** The fingerprint of a reply without a word. */
const emptyText = observeText(0, '').fingerprint;

/** Minimum similarity for one text to count as a variation of another. */
export const similarityMin = 0.8;

/** How many empty replies count as one repetition, and how many variations or other replies without a call. */
const emptyRepliesPerRepetition = 4;
const variationsPerRepetition = 2;
const repliesPerRepetition = 3;

/** Maximum count of replies that do not say the same, and of replies that the host rejects: enough for advice. */
const adviceMax = 2;

/** Replies without a call: the same again, nearly the same, or just one after the other. */
export const repeatedText: ObservationRule<'text'> = {
  id: 'repeated-text',
  rationale:
    'Repeating the same text without a tool call and without new input makes no progress. Differences in numbers, ' +
    'case and spacing do not count. A variation, which shares four fifths of its wording with the latest text, counts ' +
    'half, because rewording may still lead somewhere. Other replies without a call count a third and earn advice ' +
    'only. Empty replies are usually a fault of the provider that passes, so four of them count as one.',
  on: 'text',
  unit: 'repetitions',
  thresholds: { advise: 2, block: null, stop: 3 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    let match = matchSameText(window, last);
    for (const other of [matchSimilarText(window, last), matchTextOnly(window)])
      if (other.count > match.count) match = other;
    return last.isRejected === true ? { ...match, count: Math.min(match.count, adviceMax) } : match;
  },
};

function matchSameText(window: readonly TextObservation[], last: TextObservation): RuleMatch {
  const evidence = takeTailWhile(window, (each) => each.fingerprint === last.fingerprint);
  const isEmpty = last.fingerprint === emptyText;
  return {
    count: isEmpty ? Math.floor(evidence.length / emptyRepliesPerRepetition) : evidence.length,
    evidence,
    loop: last.fingerprint,
    reason: `the same was said ${evidence.length} times in a row, and nothing was done`,
    advice: `You have said the same ${evidence.length} times in a row without doing anything. Do the next step with a tool, or say that you are done or what stops you.`,
  };
}

function matchSimilarText(window: readonly TextObservation[], last: TextObservation): RuleMatch {
  // Texts of fewer than three words have no wording to compare.
  const evidence =
    last.sample.length === 0
      ? []
      : takeTailWhile(window, (each) => computeSimilarity(each, last) >= similarityMin);
  return {
    count: Math.ceil(evidence.length / variationsPerRepetition),
    evidence,
    loop: 'similar-text',
    reason: `nearly the same was said ${evidence.length} times in a row, and nothing was done`,
    advice: `Your last ${evidence.length} replies say nearly the same, and nothing was done. Do the next step with a tool, or say that you are done or what stops you.`,
  };
}

function matchTextOnly(window: readonly TextObservation[]): RuleMatch {
  return {
    count: Math.min(Math.floor(window.length / repliesPerRepetition), adviceMax),
    evidence: window,
    loop: 'text-only',
    reason: `${window.length} replies in a row did nothing`,
    advice: `Your last ${window.length} replies did nothing but talk. Do the next step with a tool, or say that you are done or what stops you.`,
  };
}

/** A reply that repeats one block of text. */
export const repetitionLoop: ObservationRule<'repetition-loop'> = {
  id: 'repetition-loop',
  rationale:
    'A model that repeats one block of text does not stop by itself, and more of it adds nothing. The reply is cut ' +
    'off and requested again; the third such reply in a row stops the work.',
  on: 'repetition-loop',
  unit: 'replies',
  thresholds: { advise: 1, block: null, stop: 3 },
  match(window) {
    const last = window.at(-1);
    if (last === undefined) return null;
    return {
      count: window.length,
      evidence: window,
      loop: 'repetition-loop',
      reason: `the reply says the same piece of text ${last.times} times in a row`,
      advice: `Your last reply was cut off: it said one and the same thing ${last.times} times in a row (“${last.block}”). Answer anew, briefly, and say each thing once.`,
    };
  },
};

/** Consecutive replies that cannot be parsed. */
export const failedDecisions: ObservationRule<'decision'> = {
  id: 'failed-decisions',
  rationale:
    'A call that cannot be parsed does not advance the work, and each one is answered with what is wrong. A model ' +
    'that produces no valid call in six replies is unlikely to produce one in the seventh.',
  on: 'decision',
  unit: 'replies',
  thresholds: { advise: 3, block: null, stop: 6 },
  match(window) {
    const evidence = window.filter(
      (each, index) => window.findIndex(({ request }) => request === each.request) === index,
    );
    return {
      count: evidence.length,
      evidence,
      loop: 'failed-decisions',
      reason: `${evidence.length} replies in a row asked for something that could not be understood`,
      advice: `Your last ${evidence.length} replies could not be understood. Look at the names of the tools and at what each of them takes, and make one call that is right.`,
    };
  },
};
