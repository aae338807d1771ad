import { StoreError, getMetadataText, type SessionSummary, type Store } from '@pawl/runtime/store';
import type { SessionList, SessionListItem } from '../api/index.ts';
import type { SessionHost } from '../hosts/session-host.ts';
import { ApiError } from '../http/api-error.ts';
import { createFactsReader, emptyFacts, type SessionFacts } from './session-facts.ts';

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
  const readFacts = createFactsReader(store);
  const toListItem = async (summary: SessionSummary): Promise<SessionListItem> => {
    const { metadata, parent, owner: _, ...fields } = summary;
    const facts = await readFacts(summary).catch(toUnreadableFacts);
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
