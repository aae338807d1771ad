import type { Evidence } from './librarian-evidence.ts';
import { shareOf } from './librarian-keywords.ts';
import type { Quote } from './librarian-quote.ts';
import type { Trail } from './librarian-trail.ts';

/** Below this share of what was asked, the best passage is likely about something else that uses one of the words. */
const weakShare = 0.34;
const quotesWhenWeak = 1;

/**
 * Only what stands in the files, each passage with where it stands, between a sentence on how well it fits and an account of
 * what was searched and read.
 */
export function composeAnswer(trail: Trail, evidence: Evidence): string {
  const isWeak = isWeakEvidence(evidence);
  const quotes = isWeak ? evidence.quotes.slice(0, quotesWhenWeak) : evidence.quotes;
  const paragraphs = [
    opening(trail, evidence, isWeak),
    ...quotes.map(formatQuote),
    missing(evidence),
    failures(trail),
    account(trail),
  ];
  return paragraphs
    .filter((paragraph) => paragraph !== '')
    .join('\n\n')
    .trimEnd();
}

/** Whether what was found is likely beside the point. */
export function isWeakEvidence({ keywords, quotes }: Evidence): boolean {
  return shareOf(keywords, quotes[0]?.terms ?? new Set()) < weakShare;
}

function opening(trail: Trail, { keywords, quotes }: Evidence, isWeak: boolean): string {
  const asked = keywords
    .filter(({ isAsked, similar }) => isAsked && similar === null)
    .map(({ term }) => term);
  if (asked.length === 0) return 'There is no question here to search for. Ask about something in the files.';
  const [best] = quotes;
  if (best === undefined) {
    if (trail.searches.length === 0)
      return `I could not search the files, so I know nothing about ${enumerate(asked)}.`;
    return `I found nothing about ${enumerate(asked, 'or')} in ${countFiles(trail)}.`;
  }
  const hasAsked = asked.filter((term) => best.terms.has(term));
  const has = hasAsked.length > 0 ? hasAsked : [...best.terms];
  if (hasAsked.length === asked.length) {
    return asked.length === 1
      ? `This is what the files say about ${enumerate(asked)}.`
      : `The first passage has everything I looked for: ${enumerate(asked)}.`;
  }
  if (isWeak) {
    return `I found nothing that answers this in ${countFiles(trail)}. The nearest passage has only ${enumerate(has)}.`;
  }
  return `No passage here has everything I looked for; the first comes closest, with ${enumerate(has)}.`;
}

/** `path:first-last`, the heading it stands under, and the lines as they are. */
function formatQuote({ hit, first, last, lines }: Quote): string {
  const heading = hit.heading === '' ? '' : ` (${hit.heading})`;
  // A line break in a file's name must not look like a line of the answer.
  const path = hit.path.replace(/\p{Cc}/gu, '\uFFFD');
  return [`${path}:${first}-${last}${heading}`, ...lines.map((line) => `> ${line}`.trimEnd())].join('\n');
}

function missing({ keywords, quotes }: Evidence): string {
  if (quotes.length === 0) return '';
  const absent = keywords.filter(({ isAsked, isFound }) => isAsked && !isFound);
  if (absent.length === 0) return '';
  const replaced = absent.filter(({ similar }) => similar !== null);
  const instead = replaced.map(({ term, similar }) => `For “${term}” I searched for “${similar}”.`);
  return [`Not found anywhere: ${enumerate(absent.map(({ term }) => term))}.`, ...instead].join(' ');
}

function failures(trail: Trail): string {
  return trail.failures.map(({ tool, message }) => `The tool ${tool} failed: ${message}`).join('\n');
}

/** What the answer rests on, so that the reader can judge what it may have missed. */
function account(trail: Trail): string {
  if (trail.queries.length === 0) return '';
  const searched = trail.queries.map((query) => `“${query}”`).join(', ');
  const reads = trail.reads.map(({ path, from, to }) => `${path}:${from}-${to}`).join(', ');
  const where = trail.searches.length === 0 ? '' : ` in ${countFiles(trail)}`;
  return `I searched for ${searched}${where}.${reads === '' ? '' : ` I read ${reads}.`}`;
}

function countFiles(trail: Trail): string {
  const files = trail.searches.at(-1)?.files ?? 0;
  return files === 1 ? '1 file' : `${files} files`;
}

function enumerate(terms: readonly string[], last = 'and'): string {
  const quoted = terms.map((term) => `“${term}”`);
  if (quoted.length < 2) return quoted.join('');
  return `${quoted.slice(0, -1).join(', ')} ${last} ${quoted.at(-1)}`;
}
