import type { GoalKeyword } from './librarian-keywords.ts';
import { weighKeywords, computeKeywordShare } from './librarian-keywords.ts';
import { createAnswerLikeness } from './librarian-likeness.ts';
import type { CitedQuote } from './librarian-quote.ts';
import { toQuote } from './librarian-quote.ts';
import type { SearchTrail } from './librarian-trail.ts';

/** Maximum number of quotes. `few` applies if the best quote has all keywords or at most half of them. */
const quotesMax = { all: 5, few: 3, perFile: 2 } as const;

/** Minimum score relative to the best; lower ones share little more than a word with the goal. */
const scoreMin = 0.6;

export type GatheredEvidence = {
  readonly keywords: readonly GoalKeyword[];
  /** Best first. */
  readonly quotes: readonly CitedQuote[];
};

/** Selects the best quotes from all hits and reads. */
export function gatherEvidence(trail: SearchTrail): GatheredEvidence {
  const keywords = weighKeywords(trail);
  const context = { keywords, reads: trail.reads, likeness: createAnswerLikeness(trail.goal, keywords) };
  const quotes = trail.searches.flatMap(({ hits }, index) =>
    hits.map((hit) => toQuote(hit, index === 0, context)),
  );
  const answers = quotes.filter(({ lines }) => !isQuestionEcho(lines, trail.goal));
  return { keywords, quotes: selectQuotes(answers, keywords) };
}

/** Whether a passage merely quotes the question itself, as an example of what can be asked. */
function isQuestionEcho(lines: readonly string[], goal: string): boolean {
  const question = goal.trim().toLowerCase();
  return lines.some((line) => {
    const at = line.toLowerCase().indexOf(question);
    return at > 0 && `"'\`“‘`.includes(line.charAt(at - 1));
  });
}

/**
 * Selects the best quote, then for each missing keyword the best quote that has it, then quotes with nearly the best
 * score. Skips repetitions and more than two quotes per file.
 */
function selectQuotes(
  candidates: readonly CitedQuote[],
  keywords: readonly GoalKeyword[],
): readonly CitedQuote[] {
  const sorted = candidates.filter(({ terms }) => terms.size > 0).toSorted((a, b) => b.score - a.score);
  const [best] = sorted;
  if (best === undefined) return [];
  const share = computeKeywordShare(keywords, best.terms);
  const max = share === 1 || share <= 0.5 ? quotesMax.few : quotesMax.all;
  const chosen = [best];
  const addQuote = (quote: CitedQuote) => {
    const fromFile = chosen.filter(({ hit }) => hit.path === quote.hit.path).length;
    const isNew = fromFile < quotesMax.perFile && !chosen.some((other) => isRepeatedQuote(quote, other));
    if (isNew && chosen.length < max) chosen.push(quote);
  };
  for (const { term } of keywords.filter(({ isGoalTerm, isFound }) => isGoalTerm && isFound)) {
    const quote = sorted.find(({ terms }) => terms.has(term));
    if (quote !== undefined && !chosen.some(({ terms }) => terms.has(term))) addQuote(quote);
  }
  for (const quote of sorted.filter(({ score }) => score >= best.score * scoreMin)) addQuote(quote);
  return chosen.toSorted((a, b) => b.score - a.score);
}

function isRepeatedQuote(a: CitedQuote, b: CitedQuote): boolean {
  if (a.hit.path === b.hit.path && a.first <= b.last && b.first <= a.last) return true;
  return collapseWhitespace(a.lines) === collapseWhitespace(b.lines);
}

function collapseWhitespace(lines: readonly string[]): string {
  return lines.join(' ').replace(/\s+/g, ' ').trim();
}
