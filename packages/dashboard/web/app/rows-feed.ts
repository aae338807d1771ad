import { ApiError, type Api } from './api.ts';
import type { SessionRow } from './api-types.ts';
import { follow, frameMs, type Connection } from './follow.ts';

/** The sessions there are, those last worked on first. */
export type RowsState = {
  readonly rows: readonly SessionRow[];
  readonly isLoading: boolean;
  readonly error: ApiError | null;
  readonly connection: Connection;
  /** Where older ones go on; null when all are here. */
  readonly next: string | null;
};

const pageSize = 500;

/** The list of sessions, live. One for the whole page: the list shows it, and the header counts what waits for a person. */
export class RowsFeed {
  readonly #api: Api;
  readonly #listeners = new Set<() => void>();
  readonly #byId = new Map<string, SessionRow>();
  #state: RowsState = { rows: [], isLoading: true, error: null, connection: 'connecting', next: null };
  #unfollow: (() => void) | null = null;
  #frame: number | null = null;

  constructor(api: Api) {
    this.#api = api;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): RowsState => this.#state;

  start(): () => void {
    // What went wrong is in the state.
    this.#load().catch(() => {});
    this.#unfollow = follow({
      address: () => this.#api.address('/sessions/stream'),
      changed: (connection) => this.#change({ connection }),
      again: () => this.#load(),
      heard: ({ event, data }) => {
        if (event === 'session') this.#put(JSON.parse(data) as SessionRow);
        else if (event === 'removed') this.#byId.delete((JSON.parse(data) as { readonly id: string }).id);
        if (this.#frame === null) this.#frame = window.setTimeout(() => this.#show(), frameMs);
      },
    });
    return () => this.#unfollow?.();
  }

  readonly loadMore = async (): Promise<void> => {
    const { next } = this.#state;
    if (next !== null) await this.#page({ cursor: next });
  };

  /** Finds sessions among those that are not here yet, and keeps them. */
  readonly search = async (q: string, signal: AbortSignal): Promise<void> => {
    if (this.#state.next === null || q.trim() === '') return;
    const { sessions } = await this.#api.sessions({ q, limit: pageSize }, signal);
    for (const row of sessions) this.#put(row);
    this.#show();
  };

  async #load(): Promise<void> {
    try {
      // What was removed meanwhile must not stay.
      await this.#page({}, () => this.#byId.clear());
    } catch (error) {
      if (error instanceof ApiError) this.#change({ error, isLoading: false });
      throw error;
    }
  }

  async #page(from: { readonly cursor?: string }, before?: () => void): Promise<void> {
    const { sessions, next } = await this.#api.sessions({ limit: pageSize, ...from });
    before?.();
    for (const row of sessions) this.#put(row);
    this.#change({ next, isLoading: false, error: null });
    this.#show();
  }

  #put(row: SessionRow): void {
    this.#byId.set(row.id, row);
  }

  #show(): void {
    this.#frame = null;
    const rows = [...this.#byId.values()].toSorted((one, other) => other.updatedAt - one.updatedAt);
    this.#change({ rows });
  }

  #change(change: Partial<RowsState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
