import { extractKeywords } from './librarian-goal.ts';
import type { SearchTrail } from './librarian-trail.ts';

/** A word of the goal, or one searched for instead, with its frequency in the folder. */
export type GoalKeyword = {
  readonly term: string;
  /** Whether it is from the goal or a spelling correction of it, rather than a synonym. */
  readonly isGoalTerm: boolean;
  readonly isFound: boolean;
  /** The similarly spelled word that was searched for instead. */
  readonly similar: string | null;
  /** Weight when comparing passages: rarer words count more. */
  readonly weight: number;
};

export function weighKeywords(trail: SearchTrail): readonly GoalKeyword[] {
  const searched = new Map(trail.searches.flatMap(({ terms }) => terms).map((each) => [each.term, each]));
  const goalKeywords = extractKeywords(trail.goal);
  const corrected = goalKeywords
    .map((term) => searched.get(term)?.similar)
    .filter((term) => searched.has(term ?? ''));
  const goalTerms = new Set([...goalKeywords, ...corrected]);
  return [...new Set([...goalKeywords, ...searched.keys()])].map((term) => {
    const { passages = 0, similar = null } = searched.get(term) ?? {};
    const isGoalTerm = goalTerms.has(term);
    const rarity = Math.log2(2 + (passages > 0 ? passages : estimateMissingPassages(term, trail.goal)));
    return { term, isGoalTerm, isFound: passages > 0, similar, weight: (isGoalTerm ? 2 : 1) / rarity };
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
  const goalKeywords = keywords.filter(({ isGoalTerm, similar }) => isGoalTerm && similar === null);
  const totalWeight = goalKeywords.reduce((sum, { weight }) => sum + weight, 0);
  const coveredWeight = keywords
    .filter(({ term }) => terms.has(term))
    .reduce((sum, { weight }) => sum + weight, 0);
  return totalWeight === 0 ? 0 : Math.min(1, coveredWeight / totalWeight);
}
