import { StoreError, getMetadataText, type SessionSummary, type Store } from '@pawl/runtime';
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
  const factsOf = createFactsReader(store);
  const toListItem = async (summary: SessionSummary): Promise<SessionListItem> => {
    const { metadata, parent, owner: _, ...told } = summary;
    const facts = await factsOf(summary).catch(toUnreadableFacts);
    return {
      ...told,
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
      const meant = all.filter((each) => matchesStatus(each, status) && matchesSearchText(each, q));
      const start = cursor === undefined ? 0 : findPageStart(meant, parseCursor(cursor));
      const page = meant.slice(start, start + limit);
      const last = page.at(-1);
      const isMore = start + limit < meant.length && last !== undefined;
      return { sessions: await mapInBatches(page, toListItem), next: isMore ? formatCursor(last) : null };
    },
  };
}

async function mapInBatches<From, To>(
  from: readonly From[],
  make: (each: From) => Promise<To>,
): Promise<To[]> {
  const made: To[] = [];
  for (let start = 0; start < from.length; start += parallelReads) {
    made.push(...(await Promise.all(from.slice(start, start + parallelReads).map(make))));
  }
  return made;
}

function matchesStatus({ status }: SessionSummary, asked: string | undefined): boolean {
  return asked === undefined || asked === '' || asked.split(',').includes(status);
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
    const place = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
    if (Array.isArray(place) && typeof place[0] === 'number' && typeof place[1] === 'string') {
      return [place[0], place[1]];
    }
  } catch {
    // Fall through to the error below.
  }
  throw new ApiError('bad-request', 'query.cursor: this is no cursor.', 'Give `next` of the page before.');
}

function findPageStart(all: readonly SessionSummary[], [at, last]: ListCursor): number {
  const found = all.findIndex(({ updatedAt, id }) => updatedAt < at || (updatedAt === at && id > last));
  return found === -1 ? all.length : found;
}
