import { splitIdentifier, stemWord } from '../search/words.ts';
import type { SearchOutput } from '../tools/search.ts';
import { extractKeywords, findSubject } from './librarian-goal.ts';
import type { SearchTrail } from './librarian-trail.ts';

/** More queries have not been observed to find more; they only delay a negative answer. */
const queriesMax = 5;

/** Number of top hits that are likely to be quoted. */
const quotableHits = 5;

/** Returns the next query, or null if no further query is worthwhile. Never repeats a query. */
export function selectNextQuery(trail: SearchTrail): string | null {
  if (trail.queries.length >= queriesMax) return null;
  const tried = new Set(trail.queries.map(normalizeQuery));
  return (
    listQueryCandidates(trail).find((query) => query !== '' && !tried.has(normalizeQuery(query))) ?? null
  );
}

function listQueryCandidates(trail: SearchTrail): readonly string[] {
  const keywords = extractKeywords(trail.goal);
  const [first] = trail.searches;
  // The first query contains all keywords: the index itself tries all of them together, then any of them.
  if (first === undefined) return [toQuery(keywords)];
  const found = first.terms.filter((each) => each.found !== 'nowhere').map(({ term }) => term);
  const missing = first.terms.filter((each) => each.found === 'nowhere');
  const variants = missing.flatMap(({ term, similar }) =>
    similar === null ? listTermVariants(term) : [similar],
  );
  return [
    buildDefinitionQuery(trail.goal, first),
    toQuery(listNeglectedTerms(first, trail.searches)),
    // Combined with the found terms, so that variants are searched for near the rest of the goal.
    variants.length === 0 ? '' : toQuery([...variants, ...found]),
    toQuery(selectRarestTerms(first)),
    ...(missing.length * 2 < keywords.length ? [] : buildMissingTermQueries(missing.map(({ term }) => term))),
  ];
}

/** If at least half of the terms were not found, searches for them separately: together, then one by one. */
function buildMissingTermQueries(missing: readonly string[]): readonly string[] {
  return missing.length < 2 ? [] : [toQuery(missing), ...missing];
}

/** Searches for a definition if more passages mention the subject than were returned. */
function buildDefinitionQuery(goal: string, { terms, hits }: SearchOutput): string {
  const subject = findSubject(goal);
  const subjectTerm = terms.find(({ term }) => term === subject);
  return subjectTerm !== undefined && subjectTerm.passages > hits.length ? `"${subjectTerm.term} is"` : '';
}

/** Terms that exist but appear in none of the top hits, as in a question with two subjects. */
function listNeglectedTerms(first: SearchOutput, searches: readonly SearchOutput[]): readonly string[] {
  const covered = new Set(
    searches.flatMap(({ hits }) => hits.slice(0, quotableHits).flatMap(({ terms }) => terms)),
  );
  return first.terms
    .filter(({ term, found }) => found !== 'nowhere' && !covered.has(term))
    .map(({ term }) => term);
}

/** Lists alternative spellings of a term that was not found: its parts, and common abbreviations. */
function listTermVariants(term: string): readonly string[] {
  const words = term.split(/[^\p{L}\p{N}]+/u).flatMap(splitIdentifier);
  const parts = words.length > 1 ? words.filter((word) => word.length > 2) : [];
  const stems = new Set(words.map(stemWord));
  const groups = shortForms.filter((forms) => forms.some((form) => stems.has(stemWord(form))));
  return [...parts, ...groups.flat().filter((form) => !stems.has(stemWord(form)))];
}

/** Groups of interchangeable words: long forms, abbreviations and synonyms. */
const shortForms: readonly (readonly string[])[] = [
  ['authentication', 'auth', 'login'],
  ['authorization', 'auth', 'permission'],
  ['configuration', 'config', 'settings'],
  ['documentation', 'docs', 'manual'],
  ['installation', 'install', 'setup'],
  ['database', 'db'],
  ['directory', 'dir', 'folder'],
  ['repository', 'repo'],
  ['environment', 'env'],
  ['parameter', 'param', 'argument', 'arg'],
  ['function', 'func', 'fn'],
  ['implementation', 'impl'],
  ['dependency', 'deps'],
  ['error', 'exception', 'failure'],
  ['delete', 'remove'],
  ['license', 'licence', 'copyright'],
];

/** If no passage contains most of the terms, a query for the two rarest is more specific than one for all. */
function selectRarestTerms({ terms, hits }: SearchOutput): readonly string[] {
  const found = terms.filter((term) => term.found !== 'nowhere');
  const most = Math.max(0, ...hits.map((hit) => hit.terms.length));
  if (found.length < 3 || most * 2 > found.length) return [];
  return found
    .toSorted((a, b) => a.passages - b.passages)
    .slice(0, 2)
    .map(({ term }) => term);
}

/** Quotes multi-word terms. */
function toQuery(terms: readonly string[]): string {
  return [...new Set(terms)]
    .map((term) => (/\s/.test(term) ? `"${term.replaceAll('"', ' ')}"` : term))
    .join(' ');
}

function normalizeQuery(query: string): string {
  return query.toLowerCase().replace(/\s+/g, ' ').trim();
}
