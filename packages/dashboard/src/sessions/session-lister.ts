import { StoreError, getMetadataText, type SessionSummary, type Store } from '@pawl/runtime/store';
import type { SessionList, SessionListItem } from '../api/index.ts';
import type { SessionHost } from '../hosts/session-host.ts';
import { ApiError } from '../http/api-error.ts';
import type { Session } from '@pawl/core';
import {
  addEventTotals,
  countTotalTokens,
  emptyTotals,
  listPendingApprovals,
  type SessionTotals,
} from '@pawl/core/projections';

export type SessionLister = {
  toListItem(summary: SessionSummary): Promise<SessionListItem>;
  list(query: SessionListQuery): Promise<SessionList>;
};

export type SessionListQuery = {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly status?: string | undefined;
  readonly q?: string | undefined;
};

/** Number of logs read concurrently. */
const parallelReads = 16;

const shortIdLength = 8;

/** An unreadable session does not hide the others. */
function toUnreadableFacts(error: unknown): SessionFacts & { readonly status?: 'damaged' } {
  if (!(error instanceof StoreError)) throw error;
  return error.code === 'damaged' || error.code === 'newer'
    ? { ...emptyFacts, status: 'damaged' }
    : emptyFacts;
}

export function createSessionLister(store: Store, host: SessionHost): SessionLister {
  const readSessionFacts = createFactsReader(store);
  const toListItem = async (summary: SessionSummary): Promise<SessionListItem> => {
    const { metadata, parent, owner: _, ...fields } = summary;
    const facts = await readSessionFacts(summary).catch(toUnreadableFacts);
    return {
      ...fields,
      short: summary.id.slice(0, shortIdLength).toWellFormed(),
      model: getMetadataText(metadata, 'model'),
      dir: getMetadataText(metadata, 'dir'),
      holder: host.getHolder(summary),
      parent: parent === null ? null : { ...parent },
      ...facts,
    };
  };
  return {
    toListItem,
    async list({ limit, cursor, status, q }) {
      const all = await store.list({ limit: Number.MAX_SAFE_INTEGER });
      const matching = all.filter((each) => matchesStatus(each, status) && matchesSearchText(each, q));
      const start = cursor === undefined ? 0 : findPageStart(matching, parseCursor(cursor));
      const page = matching.slice(start, start + limit);
      const last = page.at(-1);
      const hasMore = start + limit < matching.length && last !== undefined;
      return { sessions: await mapInBatches(page, toListItem), next: hasMore ? formatCursor(last) : null };
    },
  };
}

async function mapInBatches<From, To>(
  from: readonly From[],
  convert: (each: From) => Promise<To>,
): Promise<To[]> {
  const results: To[] = [];
  for (let start = 0; start < from.length; start += parallelReads) {
    results.push(...(await Promise.all(from.slice(start, start + parallelReads).map(convert))));
  }
  return results;
}

function matchesStatus({ status }: SessionSummary, statuses: string | undefined): boolean {
  return statuses === undefined || statuses === '' || statuses.split(',').includes(status);
}

/** Every word must occur in one of the row's searchable fields. */
function matchesSearchText({ id, goal, profile, metadata }: SessionSummary, q = ''): boolean {
  const words = q.toLowerCase().split(/\s+/);
  const text = [id, goal, profile, getMetadataText(metadata, 'model'), getMetadataText(metadata, 'dir')]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Sort position of the last row of a page, so that the next page starts after it even if that session moved. */
type ListCursor = readonly [updatedAt: number, id: string];

function formatCursor({ updatedAt, id }: SessionSummary): string {
  return Buffer.from(JSON.stringify([updatedAt, id] satisfies ListCursor)).toString('base64url');
}

function parseCursor(cursor: string): ListCursor {
  try {
    const parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
    if (Array.isArray(parsed) && typeof parsed[0] === 'number' && typeof parsed[1] === 'string') {
      return [parsed[0], parsed[1]];
    }
  } catch {
    // Fall through to the error below.
  }
  throw new ApiError(
    'bad-request',
    'query.cursor: invalid cursor.',
    'Use the `next` value of the previous page.',
  );
}

function findPageStart(all: readonly SessionSummary[], [at, last]: ListCursor): number {
  const index = all.findIndex(({ updatedAt, id }) => updatedAt < at || (updatedAt === at && id > last));
  return index === -1 ? all.length : index;
}

/** The columns of a row that only the log can provide. */
type SessionFacts = Pick<
  SessionListItem,
  'mode' | 'phase' | 'stop' | 'toolCalls' | 'tokens' | 'cost' | 'asks'
>;

type CachedFacts = { readonly head: number; readonly totals: SessionTotals; readonly facts: SessionFacts };

/** Maximum number of sessions whose facts are cached. */
const cachedFactsMax = 5_000;

/** Caches facts per session and reads only the events that were added since the last call. */
function createFactsReader(store: Store): (summary: SessionSummary) => Promise<SessionFacts> {
  const cache = new Map<string, CachedFacts>();
  const pendingReads = new Map<string, Promise<CachedFacts>>();
  return async (summary) => {
    const { id, head, status } = summary;
    const cached = cache.get(id);
    if (cached?.head === head) return cached.facts;
    if (status === 'damaged') return emptyFacts;
    const key = `${head} ${id}`;
    const pending = pendingReads.get(key) ?? readFacts(store, summary, cached);
    pendingReads.set(key, pending);
    try {
      const read = await pending;
      cache.delete(id);
      cache.set(id, read);
      const oldest = cache.keys().next().value;
      if (cache.size > cachedFactsMax && oldest !== undefined) cache.delete(oldest);
      return read.facts;
    } finally {
      pendingReads.delete(key);
    }
  };
}

const emptyFacts: SessionFacts = {
  mode: null,
  phase: null,
  stop: null,
  toolCalls: 0,
  tokens: 0,
  cost: 0,
  asks: 0,
};

async function readFacts(
  store: Store,
  { id, head }: SessionSummary,
  cached: CachedFacts | undefined,
): Promise<CachedFacts> {
  const isOlder = cached !== undefined && cached.head < head;
  let totals = isOlder ? cached.totals : emptyTotals;
  for await (const { seq, event } of store.events(id, isOlder ? cached.head : 0)) {
    if (seq > head) break;
    totals = addEventTotals(totals, event);
  }
  const { session } = await store.open(id);
  const { toolCalls, cost } = totals;
  const facts = {
    toolCalls,
    tokens: countTotalTokens(totals),
    cost: cost ?? 0,
    ...readStateFacts(session),
  };
  return { head, totals, facts };
}

function readStateFacts(session: Session): Pick<SessionFacts, 'mode' | 'phase' | 'stop' | 'asks'> {
  const { turn, mode, phases } = session;
  const { current, total } = phases;
  return {
    mode: mode?.state ?? null,
    phase: current === null ? null : { number: current.number, description: current.description, total },
    stop: turn.status === 'halted' ? { ...turn.haltReason } : null,
    asks: listPendingApprovals(session).length,
  };
}
