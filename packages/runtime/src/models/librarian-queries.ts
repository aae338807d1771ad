import {
  type ConversationMessage,
  type ToolCall,
  type ToolOutcome,
  type ConversationHistory,
  iterateItems,
} from '@pawl/core';
import { parseSearchTerms, splitIdentifier, stemWord } from '../search/words.ts';
import { type ReadOutput, readOutputSchema } from '../tools/read.ts';
import { type SearchOutput, searchOutputSchema } from '../tools/search.ts';

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

/** Extracts the keywords of the goal. */
export function extractKeywords(goal: string): readonly string[] {
  return parseSearchTerms(goal).map(({ text }) => text);
}

/** Returns the subject of a definition question, such as `pawl` in "What is a pawl?"; null for other goals. */
export function findSubject(goal: string): string | null {
  const [, subject = ''] = subjectPattern.exec(goal) ?? [];
  return extractKeywords(goal).find((term) => term.toLowerCase() === subject.toLowerCase()) ?? null;
}

const subjectPattern =
  /\b(?:what(?:['’]s|\s+is|\s+are)|who\s+is|define|meaning\s+of)\s+(?:(?:an?|the)\s+)?["“`]?([\p{L}\p{N}_]+)/iu;

type FailedToolCall = { readonly tool: string; readonly message: string };

/** The latest goal and the work done on it; this is the librarian's entire state. */
export type SearchTrail = {
  readonly goal: string;
  /** Queries in order, including failed ones. */
  readonly queries: readonly string[];
  readonly searches: readonly SearchOutput[];
  readonly reads: readonly ReadOutput[];
  /** Requested paths, including those that could not be read. */
  readonly readPaths: readonly string[];
  readonly failures: readonly FailedToolCall[];
};

export function buildSearchTrail(conversation: ConversationHistory<ConversationMessage>): SearchTrail {
  let trail = createEmptyTrail('');
  // Call ids are unique only within one reply.
  let calls: readonly ToolCall[] = [];
  for (const message of iterateItems(conversation)) {
    switch (message.role) {
      case 'user':
        trail = createEmptyTrail(message.text);
        break;
      case 'assistant':
        calls = message.calls;
        break;
      case 'tool': {
        const call = calls.find(({ id }) => id === message.callId);
        if (call !== undefined) trail = applyToolOutcome(trail, call, message.outcome);
        break;
      }
      default:
        message satisfies never;
    }
  }
  return trail;
}

function createEmptyTrail(goal: string): SearchTrail {
  return { goal, queries: [], searches: [], reads: [], readPaths: [], failures: [] };
}

function applyToolOutcome(trail: SearchTrail, call: ToolCall, outcome: ToolOutcome): SearchTrail {
  // A skipped call never started, so it does not count.
  if (!outcome.ok && outcome.error.kind === 'skipped') return trail;
  const updated = {
    ...trail,
    queries: call.tool === 'search' ? [...trail.queries, getStringArgument(call, 'query')] : trail.queries,
    readPaths: call.tool === 'read' ? [...trail.readPaths, getStringArgument(call, 'path')] : trail.readPaths,
  };
  if (!outcome.ok) {
    const failure = { tool: call.tool, message: outcome.error.message };
    return { ...updated, failures: [...trail.failures, failure] };
  }
  // Another tool may have the same name; ignore output of a different shape.
  const search = call.tool === 'search' ? searchOutputSchema.safeParse(outcome.output) : null;
  if (search?.success === true) return { ...updated, searches: [...trail.searches, search.data] };
  const read = call.tool === 'read' ? readOutputSchema.safeParse(outcome.output) : null;
  if (read?.success === true) return { ...updated, reads: [...trail.reads, read.data] };
  return updated;
}

function getStringArgument(call: ToolCall, name: string): string {
  const { args } = call;
  const value =
    typeof args === 'object' && args !== null && !Array.isArray(args) ? Reflect.get(args, name) : '';
  return typeof value === 'string' ? value : '';
}
