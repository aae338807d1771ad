import type { RequestedCall } from '@pawl/core';
import type { SearchExcerpt } from '../tools/search.ts';
import { composeAnswer, isWeakEvidence, type GatheredEvidence, gatherEvidence } from './librarian-answer.ts';
import { selectNextQuery, type SearchTrail, buildSearchTrail } from './librarian-queries.ts';
import type { Model, ModelChunk, ModelRequest } from './model.ts';

const librarianReadsMax = 3;
const hitsPerSearch = 12;

/** One step: its text and its calls. Without calls, the text is the answer. */
type LibrarianStep = { readonly text: string; readonly calls: readonly RequestedCall[] };

/**
 * An offline model: it searches, reads around the hits and answers with quoted passages and their locations. It has no
 * knowledge of its own, so it can misjudge relevance but never state a false fact. Deterministic: the same conversation
 * always gets the same reply.
 */
export function createLibrarian(): Model {
  return { name: 'librarian', stream: streamLibrarianReply };
}

async function* streamLibrarianReply(
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk, void, undefined> {
  const { text, calls } = decideLibrarianStep(request);
  for (const [piece] of text.matchAll(/\s*\S+/g)) {
    if (signal.aborted) return yield cancelledChunk;
    yield { type: 'text', text: piece };
  }
  yield { type: 'reply', text, calls };
}

const cancelledChunk: ModelChunk = {
  type: 'failure',
  error: { kind: 'unknown', message: 'The librarian was cancelled.', retryable: false },
};

/**
 * Searches until no further query is worthwhile, reads around the best passages once, then finishes. Advice means that
 * the governor sees no progress: the answer then uses what was found so far.
 */
function decideLibrarianStep({ conversation, tools, advice }: ModelRequest): LibrarianStep {
  const trail = buildSearchTrail(conversation);
  const isOffered = (tool: string) => tools.some(({ name }) => name === tool);
  const shouldFinish = advice !== null && trail.queries.length > 0;
  const query = isOffered('search') && !shouldFinish ? selectNextQuery(trail) : null;
  if (query !== null) return createSearchStep(trail, query);
  const evidence = gatherEvidence(trail);
  const reads = isOffered('read') && !shouldFinish ? selectReadRanges(trail, evidence) : [];
  if (reads.length > 0) return createReadStep(reads);
  return createFinishStep(trail, evidence, isOffered('finish'));
}

function createSearchStep(trail: SearchTrail, query: string): LibrarianStep {
  const hitCount = trail.searches.reduce((sum, { hits }) => sum + hits.length, 0);
  const lead =
    trail.queries.length === 0 ? 'I search' : hitCount === 0 ? 'Nothing yet. I search' : 'I also search';
  const calls = [{ tool: 'search', args: { query, limit: hitsPerSearch } }];
  return { text: `${lead} for ${query}.`, calls };
}

type FileRange = { readonly path: string; readonly from: number; readonly to: number };

function createReadStep(ranges: readonly FileRange[]): LibrarianStep {
  const locations = ranges.map(({ path, from, to }) => `${path}:${from}-${to}`).join(', ');
  return {
    text: `I read around the best passages: ${locations}.`,
    calls: ranges.map((args) => ({ tool: 'read', args })),
  };
}

/** Selects ranges around the best quotes that are not self-contained: one per file, and only once. */
function selectReadRanges(trail: SearchTrail, evidence: GatheredEvidence): readonly FileRange[] {
  if (trail.readPaths.length > 0 || isWeakEvidence(evidence)) return [];
  const ranges = new Map<string, FileRange>();
  for (const { hit } of evidence.quotes) {
    if (ranges.size === librarianReadsMax) break;
    if (ranges.has(hit.path) || isSelfContained(hit)) continue;
    ranges.set(hit.path, { path: hit.path, from: Math.max(1, hit.first - 3), to: hit.last + 6 });
  }
  return [...ranges.values()];
}

/** Whether the excerpt is a complete passage that ends with a sentence or a block of code. */
function isSelfContained({ first, last, text }: SearchExcerpt): boolean {
  const shown = text.split('\n').length;
  return shown === last - first + 1 && shown > 2 && /[.!?:;)}\]|`]$/.test(text.trimEnd());
}

function createFinishStep(trail: SearchTrail, evidence: GatheredEvidence, canFinish: boolean): LibrarianStep {
  const answer = composeAnswer(trail, evidence);
  // A finish call that was rejected would be rejected again.
  if (!canFinish || trail.failures.some(({ tool }) => tool === 'finish')) return { text: answer, calls: [] };
  const count = evidence.quotes.length;
  const passages = `I have ${count} ${count === 1 ? 'passage' : 'passages'} to quote.`;
  const text = isWeakEvidence(evidence) ? 'I found nothing that answers this.' : passages;
  return { text, calls: [{ tool: 'finish', args: { answer } }] };
}
