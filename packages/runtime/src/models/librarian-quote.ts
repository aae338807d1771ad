import type { TermMatcher } from '../search/excerpt.ts';
import { findBestWindow, clipLine, createTermMatcher } from '../search/excerpt.ts';
import { getFileWeight } from '../search/file-kind.ts';
import { isImportLine } from '../search/imports.ts';
import { foldWord } from '../search/words.ts';
import type { NumberedLine } from '../tools/numbered-lines.ts';
import type { ReadOutput } from '../tools/read.ts';
import type { SearchExcerpt } from '../tools/search.ts';
import type { GoalKeyword } from './librarian-keywords.ts';
import { computeKeywordShare } from './librarian-keywords.ts';
import type { AnswerLikeness } from './librarian-likeness.ts';
import { collectSurroundingLines, stripHeading } from './librarian-lines.ts';

/** Long enough to be useful, short enough to be read. */
const quoteLimits = { lines: 8, chars: 1_000, lineChars: 400 } as const;

/** Lines of a file that are relevant to the goal. */
export type CitedQuote = {
  readonly hit: SearchExcerpt;
  readonly first: number;
  readonly last: number;
  readonly lines: readonly string[];
  /** Keywords that appear in the lines, the heading or the path. */
  readonly terms: ReadonlySet<string>;
  readonly score: number;
};

export type QuoteContext = {
  readonly keywords: readonly GoalKeyword[];
  readonly reads: readonly ReadOutput[];
  readonly likeness: AnswerLikeness;
};

/** Selects and scores the lines of a hit to quote. `isFirst` marks hits of the first search, for the whole goal. */
export function toQuote(hit: SearchExcerpt, isFirst: boolean, context: QuoteContext): CitedQuote {
  const { keywords, likeness } = context;
  const matches = createTermMatcher(keywords.map(({ term }) => term));
  const shown = selectQuoteLines(hit, matches, context);
  const text = shown.map((line) => line.text).join('\n');
  const inPath = hit.terms.filter((term) => foldWord(hit.path).includes(foldWord(term)));
  const terms = new Set([...matches(text), ...matches(hit.heading), ...inPath]);
  // Keywords in the same paragraph, table row or heading are related; in adjacent blocks it may be coincidence.
  const blockShares = [hit.heading, ...splitBlocks(text)].map((block) =>
    computeKeywordShare(keywords, matches(block)),
  );
  const relevance =
    0.7 * Math.max(...blockShares) +
    0.3 * computeKeywordShare(keywords, terms) +
    0.3 * computeKeywordShare(keywords, new Set([...terms, ...hit.terms])) +
    0.5 * likeness.score(text, hit.heading) +
    // The index's top ranks carry information that is not available here; later ranks hardly differ.
    (isFirst ? 0.4 : 0.2) / (1 + (hit.rank - 1) / 3);
  // Square root, because the index has already applied the file weight.
  const weight =
    Math.sqrt(getFileWeight(hit.path)) * (text.split('\n').every(isImportLine) ? importsFactor : 1);
  return {
    hit,
    first: shown.at(0)?.number ?? hit.first,
    last: shown.at(-1)?.number ?? hit.last,
    lines: shown.map((line) => clipLine(line.text, quoteLimits.lineChars, matches)),
    terms,
    score: relevance * weight,
  };
}

/** Imports mention many names but explain nothing. */
const importsFactor = 0.3;

const definitionTerm = 'a definition';

function selectQuoteLines(
  hit: SearchExcerpt,
  matches: TermMatcher,
  context: QuoteContext,
): readonly NumberedLine[] {
  const { keywords, reads, likeness } = context;
  const known = collectSurroundingLines(hit, reads);
  const mean = keywords.reduce((sum, { weight }) => sum + weight, 0) / keywords.length;
  const weights = new Map(keywords.map(({ term, weight }) => [term, weight / mean]));
  const limits = { linesMax: quoteLimits.lines, charsMax: quoteLimits.chars };
  const choose = (lines: readonly NumberedLine[], matcher: TermMatcher) => {
    const texts = lines.map(({ text }) => text);
    const { start, end } = findBestWindow(texts, {
      ...limits,
      matches: matcher,
      getTermWeight: (term) => weights.get(term) ?? 1,
    });
    return stripHeading(lines.slice(start, end));
  };
  // A definition counts as one extra term with the default weight, because it is not a keyword.
  const chosen = choose(known, (line) =>
    likeness.defines(line) ? new Set([...matches(line), definitionTerm]) : matches(line),
  );
  if (chosen.some(({ text }) => matches(text).size > 0)) return chosen;
  // Only the heading contains the keywords: quote the section from its beginning.
  const section = known.slice(known.findIndex(({ number }) => number === chosen[0]?.number));
  return choose(section, () => new Set());
}

/** Splits text into paragraphs, table rows and list items. */
function splitBlocks(text: string): readonly string[] {
  return text.split(/\n(?=\s*(?:\n|\||[-*+]\s|\d+[.)]\s))/);
}
