import { StoreError, textAbout, type SessionSummary, type Store } from '@pawl/runtime';
import type { SessionList, SessionRow } from '../api/index.ts';
import type { Host } from '../hosts/host.ts';
import { ApiError } from '../http/api-error.ts';
import { createFacts, noFacts, type Facts } from './facts.ts';

export type Rows = {
  rowOf(summary: SessionSummary): Promise<SessionRow>;
  list(query: ListQuery): Promise<SessionList>;
};

export type ListQuery = {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly status?: string | undefined;
  readonly q?: string | undefined;
};

/** How many logs are read side by side. */
const atOnce = 16;

const shortLength = 8;

/** A session that cannot be read does not hide the others. */
function unreadable(error: unknown): Facts & { readonly status?: 'damaged' } {
  if (!(error instanceof StoreError)) throw error;
  return error.code === 'damaged' || error.code === 'newer' ? { ...noFacts, status: 'damaged' } : noFacts;
}

export function createRows(store: Store, host: Host): Rows {
  const factsOf = createFacts(store);
  const rowOf = async (summary: SessionSummary): Promise<SessionRow> => {
    const { about, parent, owner: _, ...told } = summary;
    const facts = await factsOf(summary).catch(unreadable);
    return {
      ...told,
      short: summary.id.slice(0, shortLength).toWellFormed(),
      model: textAbout(about, 'model'),
      dir: textAbout(about, 'dir'),
      holder: host.holderOf(summary),
      parent: parent === null ? null : { ...parent },
      ...facts,
    };
  };
  return {
    rowOf,
    async list({ limit, cursor, status, q }) {
      const all = await store.list({ limit: Number.MAX_SAFE_INTEGER });
      const meant = all.filter((each) => hasStatus(each, status) && hasWords(each, q));
      const start = cursor === undefined ? 0 : startAfter(meant, placeIn(cursor));
      const page = meant.slice(start, start + limit);
      const last = page.at(-1);
      const isMore = start + limit < meant.length && last !== undefined;
      return { sessions: await inTurn(page, rowOf), next: isMore ? cursorAt(last) : null };
    },
  };
}

async function inTurn<From, To>(from: readonly From[], make: (each: From) => Promise<To>): Promise<To[]> {
  const made: To[] = [];
  for (let start = 0; start < from.length; start += atOnce) {
    made.push(...(await Promise.all(from.slice(start, start + atOnce).map(make))));
  }
  return made;
}

function hasStatus({ status }: SessionSummary, asked: string | undefined): boolean {
  return asked === undefined || asked === '' || asked.split(',').includes(status);
}

/** Every word has to be somewhere in what a row shows of itself. */
function hasWords({ id, goal, profile, about }: SessionSummary, q = ''): boolean {
  const words = q.toLowerCase().split(/\s+/);
  const text = [id, goal, profile, textAbout(about, 'model'), textAbout(about, 'dir')]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Where a page ended: the list is in this order, so the next page begins after it, wherever its session is by then. */
type Place = readonly [updatedAt: number, id: string];

function cursorAt({ updatedAt, id }: SessionSummary): string {
  return Buffer.from(JSON.stringify([updatedAt, id] satisfies Place)).toString('base64url');
}

function placeIn(cursor: string): Place {
  try {
    const place = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
    if (Array.isArray(place) && typeof place[0] === 'number' && typeof place[1] === 'string') {
      return [place[0], place[1]];
    }
  } catch {
    // The error below says so.
  }
  throw new ApiError('bad-request', 'query.cursor: this is no cursor.', 'Give `next` of the page before.');
}

function startAfter(all: readonly SessionSummary[], [at, last]: Place): number {
  const found = all.findIndex(({ updatedAt, id }) => updatedAt < at || (updatedAt === at && id > last));
  return found === -1 ? all.length : found;
}
