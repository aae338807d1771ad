import { keywordsOf } from './librarian-goal.ts';
import type { Trail } from './librarian-trail.ts';

/** A word of the goal, or one searched for in its place, and what the folder knows of it. */
export type Keyword = {
  readonly term: string;
  /** From the goal itself or the right spelling of it, not another way of saying it. */
  readonly isAsked: boolean;
  readonly isFound: boolean;
  /** What was searched for in its place because it is spelt almost alike. */
  readonly similar: string | null;
  /** What it counts when passages are compared: the rarer, the more. */
  readonly worth: number;
};

export function judgeKeywords(trail: Trail): readonly Keyword[] {
  const searched = new Map(trail.searches.flatMap(({ terms }) => terms).map((each) => [each.term, each]));
  const inGoal = keywordsOf(trail.goal);
  const corrected = inGoal
    .map((term) => searched.get(term)?.similar)
    .filter((term) => searched.has(term ?? ''));
  const asked = new Set([...inGoal, ...corrected]);
  return [...new Set([...inGoal, ...searched.keys()])].map((term) => {
    const { passages = 0, similar = null } = searched.get(term) ?? {};
    const isAsked = asked.has(term);
    const rarity = Math.log2(2 + (passages > 0 ? passages : missingAs(term, trail.goal)));
    return { term, isAsked, isFound: passages > 0, similar, worth: (isAsked ? 2 : 1) / rarity };
  });
}

/**
 * In how many passages a word found nowhere is taken to be: a name, written with a capital inside the goal, is what it is
 * all about, while another word may just be another way to put it.
 */
function missingAs(term: string, goal: string): number {
  return /^\p{Lu}/u.test(term) && !goal.trimStart().startsWith(term) ? 0 : 2;
}

/** How much of what was asked for these terms are, from 0 to 1. What is found nowhere counts as much as a rare word. */
export function shareOf(keywords: readonly Keyword[], terms: ReadonlySet<string>): number {
  const asked = keywords.filter(({ isAsked, similar }) => isAsked && similar === null);
  const full = asked.reduce((sum, { worth }) => sum + worth, 0);
  const has = keywords.filter(({ term }) => terms.has(term)).reduce((sum, { worth }) => sum + worth, 0);
  return full === 0 ? 0 : Math.min(1, has / full);
}
