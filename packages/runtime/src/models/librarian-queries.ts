import { splitIdentifier, stem } from '../search/words.ts';
import type { SearchOutput } from '../tools/search.ts';
import { keywordsOf, subjectOf } from './librarian-goal.ts';
import type { Trail } from './librarian-trail.ts';

/** Searching more often has not been seen to find more; it only takes longer to say that there is nothing. */
const queriesMax = 5;

/** Hits that are likely to be quoted. */
const hitsThatCount = 5;

/** What to search for next, or null when there is nothing further worth trying. Never the same query twice. */
export function nextQuery(trail: Trail): string | null {
  if (trail.queries.length >= queriesMax) return null;
  const asked = new Set(trail.queries.map(normalize));
  return formulations(trail).find((query) => query !== '' && !asked.has(normalize(query))) ?? null;
}

function formulations(trail: Trail): readonly string[] {
  const keywords = keywordsOf(trail.goal);
  const [first] = trail.searches;
  // The first search asks for everything at once: the index itself tries all words together, then any of them.
  if (first === undefined) return [toQuery(keywords)];
  const found = first.terms.filter((each) => each.found !== 'nowhere').map(({ term }) => term);
  const missing = first.terms.filter((each) => each.found === 'nowhere');
  const variants = missing.flatMap(({ term, similar }) => (similar === null ? variantsOf(term) : [similar]));
  return [
    definition(trail.goal, first),
    toQuery(neglected(first, trail.searches)),
    // Together with what was found, so that variants are looked for where the rest of the goal is.
    variants.length === 0 ? '' : toQuery([...variants, ...found]),
    toQuery(rarest(first)),
    ...(missing.length * 2 < keywords.length ? [] : insisting(missing.map(({ term }) => term))),
  ];
}

/** Where half of what was asked is nowhere, that half is looked for by itself, together and word for word, before giving up. */
function insisting(missing: readonly string[]): readonly string[] {
  return missing.length < 2 ? [] : [toQuery(missing), ...missing];
}

/** What the thing is, when there is more about it than has been seen. */
function definition(goal: string, { terms, hits }: SearchOutput): string {
  const subject = subjectOf(goal);
  const about = terms.find(({ term }) => term === subject);
  return about !== undefined && about.passages > hits.length ? `"${about.term} is"` : '';
}

/** Words that exist but that none of the best hits has: the other half of a question with two subjects. */
function neglected(first: SearchOutput, searches: readonly SearchOutput[]): readonly string[] {
  const covered = new Set(
    searches.flatMap(({ hits }) => hits.slice(0, hitsThatCount).flatMap(({ terms }) => terms)),
  );
  return first.terms
    .filter(({ term, found }) => found !== 'nowhere' && !covered.has(term))
    .map(({ term }) => term);
}

/** Other ways to write a word that was found nowhere: the words inside it, and what programmers shorten it to. */
function variantsOf(term: string): readonly string[] {
  const words = term.split(/[^\p{L}\p{N}]+/u).flatMap(splitIdentifier);
  const parts = words.length > 1 ? words.filter((word) => word.length > 2) : [];
  const stems = new Set(words.map(stem));
  const others = shortForms.filter((forms) => forms.some((form) => stems.has(stem(form))));
  return [...parts, ...others.flat().filter((form) => !stems.has(stem(form)))];
}

/** Long and short forms of the same word, and words used alike; each stands for the others. */
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

/** When no passage has most of the words, the two rarest together say more than all of them apart. */
function rarest({ terms, hits }: SearchOutput): readonly string[] {
  const found = terms.filter((term) => term.found !== 'nowhere');
  const most = Math.max(0, ...hits.map((hit) => hit.terms.length));
  if (found.length < 3 || most * 2 > found.length) return [];
  return found
    .toSorted((a, b) => a.passages - b.passages)
    .slice(0, 2)
    .map(({ term }) => term);
}

/** A phrase stays together. */
function toQuery(terms: readonly string[]): string {
  return [...new Set(terms)]
    .map((term) => (/\s/.test(term) ? `"${term.replaceAll('"', ' ')}"` : term))
    .join(' ');
}

function normalize(query: string): string {
  return query.toLowerCase().replace(/\s+/g, ' ').trim();
}
