import { extractKeywords } from './librarian-goal.ts';
import type { SearchTrail } from './librarian-trail.ts';

/** A word of the goal, or one searched for instead, with its frequency in the folder. */
export type GoalKeyword = {
  readonly term: string;
  /** Whether it is from the goal or a spelling correction of it, rather than a synonym. */
  readonly isAsked: boolean;
  readonly isFound: boolean;
  /** The similarly spelled word that was searched for instead. */
  readonly similar: string | null;
  /** Weight when comparing passages: rarer words count more. */
  readonly worth: number;
};

export function weighKeywords(trail: SearchTrail): readonly GoalKeyword[] {
  const searched = new Map(trail.searches.flatMap(({ terms }) => terms).map((each) => [each.term, each]));
  const inGoal = extractKeywords(trail.goal);
  const corrected = inGoal
    .map((term) => searched.get(term)?.similar)
    .filter((term) => searched.has(term ?? ''));
  const asked = new Set([...inGoal, ...corrected]);
  return [...new Set([...inGoal, ...searched.keys()])].map((term) => {
    const { passages = 0, similar = null } = searched.get(term) ?? {};
    const isAsked = asked.has(term);
    const rarity = Math.log2(2 + (passages > 0 ? passages : estimateMissingPassages(term, trail.goal)));
    return { term, isAsked, isFound: passages > 0, similar, worth: (isAsked ? 2 : 1) / rarity };
  });
}

/**
 * Estimates the frequency of a word that was not found: a capitalized name within the goal counts as rare because it is
 * probably the subject; any other word may just be a different phrasing.
 */
function estimateMissingPassages(term: string, goal: string): number {
  return /^\p{Lu}/u.test(term) && !goal.trimStart().startsWith(term) ? 0 : 2;
}

/**
 * Returns the share of the asked keywords that these terms cover, from 0 to 1. Missing keywords count like rare words.
 */
export function computeKeywordShare(keywords: readonly GoalKeyword[], terms: ReadonlySet<string>): number {
  const asked = keywords.filter(({ isAsked, similar }) => isAsked && similar === null);
  const full = asked.reduce((sum, { worth }) => sum + worth, 0);
  const has = keywords.filter(({ term }) => terms.has(term)).reduce((sum, { worth }) => sum + worth, 0);
  return full === 0 ? 0 : Math.min(1, has / full);
}
