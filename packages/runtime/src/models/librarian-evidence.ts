import type { Keyword } from './librarian-keywords.ts';
import { judgeKeywords, shareOf } from './librarian-keywords.ts';
import { likenessTo } from './librarian-likeness.ts';
import type { Quote } from './librarian-quote.ts';
import { toQuote } from './librarian-quote.ts';
import type { Trail } from './librarian-trail.ts';

/** More is not read. Beside one that has everything the others are there to compare; beside one that has little, too. */
const quotesMax = { all: 5, few: 3, perFile: 2 } as const;

/** Of the best score; what is below has a word in common with the goal and little else. */
const scoreMin = 0.6;

export type Evidence = {
  readonly keywords: readonly Keyword[];
  /** Best first. */
  readonly quotes: readonly Quote[];
};

/** The best of all that has been found, as far as it has been read. */
export function gatherEvidence(trail: Trail): Evidence {
  const keywords = judgeKeywords(trail);
  const background = { keywords, reads: trail.reads, likeness: likenessTo(trail.goal, keywords) };
  const quotes = trail.searches.flatMap(({ hits }, index) =>
    hits.map((hit) => toQuote(hit, index === 0, background)),
  );
  const answers = quotes.filter(({ lines }) => !isEcho(lines, trail.goal));
  return { keywords, quotes: choose(answers, keywords) };
}

/** Whether a passage only has the question itself in quotes, as an example of what can be asked. */
function isEcho(lines: readonly string[], goal: string): boolean {
  const question = goal.trim().toLowerCase();
  return lines.some((line) => {
    const at = line.toLowerCase().indexOf(question);
    return at > 0 && `"'\`“‘`.includes(line.charAt(at - 1));
  });
}

/**
 * The best, then for each word it lacks the best that has it, then what is nearly as good. What says the same or comes from
 * a file quoted twice already is left out.
 */
function choose(candidates: readonly Quote[], keywords: readonly Keyword[]): readonly Quote[] {
  const sorted = candidates.filter(({ terms }) => terms.size > 0).toSorted((a, b) => b.score - a.score);
  const [best] = sorted;
  if (best === undefined) return [];
  const share = shareOf(keywords, best.terms);
  const max = share === 1 || share <= 0.5 ? quotesMax.few : quotesMax.all;
  const chosen = [best];
  const take = (quote: Quote) => {
    const fromFile = chosen.filter(({ hit }) => hit.path === quote.hit.path).length;
    const isNew = fromFile < quotesMax.perFile && !chosen.some((other) => repeats(quote, other));
    if (isNew && chosen.length < max) chosen.push(quote);
  };
  for (const { term } of keywords.filter(({ isAsked, isFound }) => isAsked && isFound)) {
    const quote = sorted.find(({ terms }) => terms.has(term));
    if (quote !== undefined && !chosen.some(({ terms }) => terms.has(term))) take(quote);
  }
  for (const quote of sorted.filter(({ score }) => score >= best.score * scoreMin)) take(quote);
  return chosen.toSorted((a, b) => b.score - a.score);
}

function repeats(a: Quote, b: Quote): boolean {
  if (a.hit.path === b.hit.path && a.first <= b.last && b.first <= a.last) return true;
  return squeeze(a.lines) === squeeze(b.lines);
}

function squeeze(lines: readonly string[]): string {
  return lines.join(' ').replace(/\s+/g, ' ').trim();
}
