import type { Matcher } from '../search/excerpt.ts';
import { bestWindow, clip, createMatcher } from '../search/excerpt.ts';
import { weightOf } from '../search/file-kind.ts';
import { isImport } from '../search/imports.ts';
import { fold } from '../search/words.ts';
import type { NumberedLine } from '../tools/numbered-lines.ts';
import type { ReadOutput } from '../tools/read.ts';
import type { Excerpt } from '../tools/search.ts';
import type { Keyword } from './librarian-keywords.ts';
import { shareOf } from './librarian-keywords.ts';
import type { Likeness } from './librarian-likeness.ts';
import { linesAround, withoutHeading } from './librarian-lines.ts';

/** Enough to read on the spot, little enough to be read. */
const quoteLimits = { lines: 8, chars: 1_000, lineChars: 400 } as const;

/** Lines of a file that say something about the goal. */
export type Quote = {
  readonly hit: Excerpt;
  readonly first: number;
  readonly last: number;
  readonly lines: readonly string[];
  /** Which keywords the reader will find in it: in the lines, the heading or the path. */
  readonly terms: ReadonlySet<string>;
  readonly score: number;
};

export type Background = {
  readonly keywords: readonly Keyword[];
  readonly reads: readonly ReadOutput[];
  readonly likeness: Likeness;
};

/** The lines of a hit to quote, and how good they are. `isFirst` tells hits of the first search, for the whole goal. */
export function toQuote(hit: Excerpt, isFirst: boolean, background: Background): Quote {
  const { keywords, likeness } = background;
  const matches = createMatcher(keywords.map(({ term }) => term));
  const shown = chooseLines(hit, matches, background);
  const text = shown.map((line) => line.text).join('\n');
  const inPath = hit.terms.filter((term) => fold(hit.path).includes(fold(term)));
  const terms = new Set([...matches(text), ...matches(hit.heading), ...inPath]);
  // Words that meet in one paragraph, table row or heading belong together; in neighbours it may be chance.
  const together = [hit.heading, ...blocksOf(text)].map((block) => shareOf(keywords, matches(block)));
  const relevance =
    0.7 * Math.max(...together) +
    0.3 * shareOf(keywords, terms) +
    0.3 * shareOf(keywords, new Set([...terms, ...hit.terms])) +
    0.5 * likeness.of(text, hit.heading) +
    // What the index puts first is likely better, for reasons not seen here; later ranks hardly differ.
    (isFirst ? 0.4 : 0.2) / (1 + (hit.rank - 1) / 3);
  // The index has weighed the files once already.
  const weight = Math.sqrt(weightOf(hit.path)) * (text.split('\n').every(isImport) ? importsFactor : 1);
  return {
    hit,
    first: shown.at(0)?.number ?? hit.first,
    last: shown.at(-1)?.number ?? hit.last,
    lines: shown.map((line) => clip(line.text, quoteLimits.lineChars, matches)),
    terms,
    score: relevance * weight,
  };
}

/** Imports name much and say nothing. */
const importsFactor = 0.3;

const definition = 'a definition';

function chooseLines(hit: Excerpt, matches: Matcher, background: Background): readonly NumberedLine[] {
  const { keywords, reads, likeness } = background;
  const known = linesAround(hit, reads);
  const mean = keywords.reduce((sum, { worth }) => sum + worth, 0) / keywords.length;
  const worths = new Map(keywords.map(({ term, worth }) => [term, worth / mean]));
  const limits = { linesMax: quoteLimits.lines, charsMax: quoteLimits.chars };
  const choose = (lines: readonly NumberedLine[], matcher: Matcher) => {
    const texts = lines.map(({ text }) => text);
    const { start, end } = bestWindow(texts, {
      ...limits,
      matches: matcher,
      worthOf: (term) => worths.get(term) ?? 1,
    });
    return withoutHeading(lines.slice(start, end));
  };
  // A definition is one thing more to look for; it has no worth of its own because it is no word.
  const chosen = choose(known, (line) =>
    likeness.defines(line) ? new Set([...matches(line), definition]) : matches(line),
  );
  if (chosen.some(({ text }) => matches(text).size > 0)) return chosen;
  // Only the heading has the words: then all below it is about them, from its beginning.
  const below = known.slice(known.findIndex(({ number }) => number === chosen[0]?.number));
  return choose(below, () => new Set());
}

/** Paragraphs, table rows and list items. */
function blocksOf(text: string): readonly string[] {
  return text.split(/\n(?=\s*(?:\n|\||[-*+]\s|\d+[.)]\s))/);
}
