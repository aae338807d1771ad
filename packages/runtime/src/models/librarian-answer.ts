import type { GatheredEvidence } from './librarian-evidence.ts';
import { computeKeywordShare } from './librarian-keywords.ts';
import type { CitedQuote } from './librarian-quote.ts';
import type { SearchTrail } from './librarian-trail.ts';

/** Below this share of the keywords, the best passage probably uses one of the words in another context. */
const weakShare = 0.34;
const quotesWhenWeak = 1;

/**
 * Composes the answer: a sentence on how well the evidence fits, quoted passages with their locations, and a summary of
 * the searches and reads. It says nothing about the subject that is not quoted from the files.
 */
export function composeAnswer(trail: SearchTrail, evidence: GatheredEvidence): string {
  const isWeak = isWeakEvidence(evidence);
  const quotes = isWeak ? evidence.quotes.slice(0, quotesWhenWeak) : evidence.quotes;
  const paragraphs = [
    formatOpening(trail, evidence, isWeak),
    ...quotes.map(formatQuote),
    formatMissingTerms(evidence),
    formatToolFailures(trail),
    formatSearchAccount(trail),
  ];
  return paragraphs
    .filter((paragraph) => paragraph !== '')
    .join('\n\n')
    .trimEnd();
}

/** Whether the evidence probably does not answer the goal. */
export function isWeakEvidence({ keywords, quotes }: GatheredEvidence): boolean {
  return computeKeywordShare(keywords, quotes[0]?.terms ?? new Set()) < weakShare;
}

function formatOpening(trail: SearchTrail, { keywords, quotes }: GatheredEvidence, isWeak: boolean): string {
  const goalTerms = keywords
    .filter(({ isGoalTerm, similar }) => isGoalTerm && similar === null)
    .map(({ term }) => term);
  if (goalTerms.length === 0)
    return 'There is no question here to search for. Ask about something in the files.';
  const [best] = quotes;
  if (best === undefined) {
    if (trail.searches.length === 0)
      return `I could not search the files, so I know nothing about ${enumerateTerms(goalTerms)}.`;
    return `I found nothing about ${enumerateTerms(goalTerms, 'or')} in ${formatFileCount(trail)}.`;
  }
  const coveredGoalTerms = goalTerms.filter((term) => best.terms.has(term));
  const coveredTerms = coveredGoalTerms.length > 0 ? coveredGoalTerms : [...best.terms];
  if (coveredGoalTerms.length === goalTerms.length) {
    return goalTerms.length === 1
      ? `This is what the files say about ${enumerateTerms(goalTerms)}.`
      : `The first passage has everything I looked for: ${enumerateTerms(goalTerms)}.`;
  }
  if (isWeak) {
    return `I found nothing that answers this in ${formatFileCount(trail)}. The nearest passage has only ${enumerateTerms(coveredTerms)}.`;
  }
  return `No passage here has everything I looked for; the first comes closest, with ${enumerateTerms(coveredTerms)}.`;
}

/** Formats a quote: `path:first-last`, its heading and its lines. */
function formatQuote({ hit, first, last, lines }: CitedQuote): string {
  const heading = hit.heading === '' ? '' : ` (${hit.heading})`;
  // A line break in a file name must not look like a line of the answer.
  const path = hit.path.replace(/\p{Cc}/gu, '\uFFFD');
  return [`${path}:${first}-${last}${heading}`, ...lines.map((line) => `> ${line}`.trimEnd())].join('\n');
}

function formatMissingTerms({ keywords, quotes }: GatheredEvidence): string {
  if (quotes.length === 0) return '';
  const missing = keywords.filter(({ isGoalTerm, isFound }) => isGoalTerm && !isFound);
  if (missing.length === 0) return '';
  const replaced = missing.filter(({ similar }) => similar !== null);
  const substitutions = replaced.map(({ term, similar }) => `For “${term}” I searched for “${similar}”.`);
  return [`Not found anywhere: ${enumerateTerms(missing.map(({ term }) => term))}.`, ...substitutions].join(
    ' ',
  );
}

function formatToolFailures(trail: SearchTrail): string {
  return trail.failures.map(({ tool, message }) => `The tool ${tool} failed: ${message}`).join('\n');
}

/** Summarizes what was searched and read, so that the reader can judge what may be missing. */
function formatSearchAccount(trail: SearchTrail): string {
  if (trail.queries.length === 0) return '';
  const searched = trail.queries.map((query) => `“${query}”`).join(', ');
  const reads = trail.reads.map(({ path, from, to }) => `${path}:${from}-${to}`).join(', ');
  const scope = trail.searches.length === 0 ? '' : ` in ${formatFileCount(trail)}`;
  return `I searched for ${searched}${scope}.${reads === '' ? '' : ` I read ${reads}.`}`;
}

function formatFileCount(trail: SearchTrail): string {
  const files = trail.searches.at(-1)?.files ?? 0;
  return files === 1 ? '1 file' : `${files} files`;
}

function enumerateTerms(terms: readonly string[], last = 'and'): string {
  const quoted = terms.map((term) => `“${term}”`);
  if (quoted.length < 2) return quoted.join('');
  return `${quoted.slice(0, -1).join(', ')} ${last} ${quoted.at(-1)}`;
}
