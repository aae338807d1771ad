import type { RequestedCall } from '@pawl/core';
import type { Excerpt } from '../tools/search.ts';
import { composeAnswer, isWeakEvidence } from './librarian-answer.ts';
import type { Evidence } from './librarian-evidence.ts';
import { gatherEvidence } from './librarian-evidence.ts';
import { nextQuery } from './librarian-queries.ts';
import type { Trail } from './librarian-trail.ts';
import { trailOf } from './librarian-trail.ts';
import type { Model, ModelChunk, ModelRequest } from './model.ts';

const readsMax = 3;
const hitsPerSearch = 12;

/** A step: what to say about it, and the calls that carry it out. Without calls the text is the answer. */
type Step = { readonly text: string; readonly calls: readonly RequestedCall[] };

/**
 * A model that needs no network: it searches, reads around what it finds, and answers with quoted passages and where they
 * stand. It has no knowledge of its own, so it can only be wrong about relevance, never about a fact. The same
 * conversation always gets the same reply.
 */
export function createLibrarian(): Model {
  return { name: 'librarian', stream };
}

async function* stream(
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk, void, undefined> {
  const { text, calls } = decide(request);
  for (const [piece] of text.matchAll(/\s*\S+/g)) {
    if (signal.aborted) return yield aborted;
    yield { type: 'text', text: piece };
  }
  yield { type: 'reply', text, calls };
}

const aborted: ModelChunk = {
  type: 'failure',
  error: { kind: 'unknown', message: 'The librarian was called off.', retryable: false },
};

/**
 * Search until there is nothing better to ask, read around the best passages once, finish. Advice means that somebody sees no
 * progress: the answer is then made of what has been found.
 */
function decide({ conversation, tools, advice }: ModelRequest): Step {
  const trail = trailOf(conversation);
  const can = (tool: string) => tools.some(({ name }) => name === tool);
  const hurries = advice !== null && trail.queries.length > 0;
  const query = can('search') && !hurries ? nextQuery(trail) : null;
  if (query !== null) return search(trail, query);
  const evidence = gatherEvidence(trail);
  const reads = can('read') && !hurries ? readsFor(trail, evidence) : [];
  if (reads.length > 0) return read(reads);
  return finish(trail, evidence, can('finish'));
}

function search(trail: Trail, query: string): Step {
  const found = trail.searches.reduce((sum, { hits }) => sum + hits.length, 0);
  const also =
    trail.queries.length === 0 ? 'I search' : found === 0 ? 'Nothing yet. I search' : 'I also search';
  const calls = [{ tool: 'search', args: { query, limit: hitsPerSearch } }];
  return { text: `${also} for ${query}.`, calls };
}

type Range = { readonly path: string; readonly from: number; readonly to: number };

function read(ranges: readonly Range[]): Step {
  const where = ranges.map(({ path, from, to }) => `${path}:${from}-${to}`).join(', ');
  return {
    text: `I read around the best passages: ${where}.`,
    calls: ranges.map((args) => ({ tool: 'read', args })),
  };
}

/** Around the best quotes that do not stand on their own, one per file, and only once. */
function readsFor(trail: Trail, evidence: Evidence): readonly Range[] {
  if (trail.readPaths.length > 0 || isWeakEvidence(evidence)) return [];
  const ranges = new Map<string, Range>();
  for (const { hit } of evidence.quotes) {
    if (ranges.size === readsMax) break;
    if (ranges.has(hit.path) || standsAlone(hit)) continue;
    ranges.set(hit.path, { path: hit.path, from: Math.max(1, hit.first - 3), to: hit.last + 6 });
  }
  return [...ranges.values()];
}

/** A whole passage of some length that ends where a sentence or a block of code does. */
function standsAlone({ first, last, text }: Excerpt): boolean {
  const shown = text.split('\n').length;
  return shown === last - first + 1 && shown > 2 && /[.!?:;)}\]|`]$/.test(text.trimEnd());
}

function finish(trail: Trail, evidence: Evidence, canFinish: boolean): Step {
  const answer = composeAnswer(trail, evidence);
  // A finish that was refused would be refused again.
  if (!canFinish || trail.failures.some(({ tool }) => tool === 'finish')) return { text: answer, calls: [] };
  const count = evidence.quotes.length;
  const passages = `I have ${count} ${count === 1 ? 'passage' : 'passages'} to quote.`;
  const text = isWeakEvidence(evidence) ? 'I found nothing that answers this.' : passages;
  return { text, calls: [{ tool: 'finish', args: { answer } }] };
}
