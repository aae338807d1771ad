import { ApiRequestError, type ApiClient } from './api.ts';
import type { SessionListItem } from './api-types.ts';
import { subscribeToStream, renderFrameMs, type ConnectionStatus } from './stream-subscription.ts';

/** The sessions, most recently updated first. */
export type SessionListState = {
  readonly rows: readonly SessionListItem[];
  readonly isLoading: boolean;
  readonly error: ApiRequestError | null;
  readonly connection: ConnectionStatus;
  /** Cursor of the next page; null if all sessions are loaded. */
  readonly next: string | null;
};

const listPageSize = 500;

/** Live session list, shared by the list and by the header, which counts the sessions that wait for a user. */
export class SessionListFeed {
  readonly #api: ApiClient;
  readonly #listeners = new Set<() => void>();
  readonly #byId = new Map<string, SessionListItem>();
  #state: SessionListState = { rows: [], isLoading: true, error: null, connection: 'connecting', next: null };
  #unfollow: (() => void) | null = null;
  #frame: number | null = null;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionListState => this.#state;

  start(): () => void {
    // The state holds the error.
    this.#load().catch(() => {});
    this.#unfollow = subscribeToStream({
      address: () => this.#api.address('/sessions/stream'),
      changed: (connection) => this.#change({ connection }),
      again: () => this.#load(),
      heard: ({ event, data }) => {
        if (event === 'session') this.#put(JSON.parse(data) as SessionListItem);
        else if (event === 'removed') this.#byId.delete((JSON.parse(data) as { readonly id: string }).id);
        if (this.#frame === null) this.#frame = window.setTimeout(() => this.#show(), renderFrameMs);
      },
    });
    return () => this.#unfollow?.();
  }

  readonly loadMore = async (): Promise<void> => {
    const { next } = this.#state;
    if (next !== null) await this.#page({ cursor: next });
  };

  /** Searches sessions that are not loaded yet, and adds them to the list. */
  readonly search = async (q: string, signal: AbortSignal): Promise<void> => {
    if (this.#state.next === null || q.trim() === '') return;
    const { sessions } = await this.#api.sessions({ q, limit: listPageSize }, signal);
    for (const row of sessions) this.#put(row);
    this.#show();
  };

  async #load(): Promise<void> {
    try {
      // Drop sessions that were removed in the meantime.
      await this.#page({}, () => this.#byId.clear());
    } catch (error) {
      if (error instanceof ApiRequestError) this.#change({ error, isLoading: false });
      throw error;
    }
  }

  async #page(from: { readonly cursor?: string }, before?: () => void): Promise<void> {
    const { sessions, next } = await this.#api.sessions({ limit: listPageSize, ...from });
    before?.();
    for (const row of sessions) this.#put(row);
    this.#change({ next, isLoading: false, error: null });
    this.#show();
  }

  #put(row: SessionListItem): void {
    this.#byId.set(row.id, row);
  }

  #show(): void {
    this.#frame = null;
    const rows = [...this.#byId.values()].toSorted((one, other) => other.updatedAt - one.updatedAt);
    this.#change({ rows });
  }

  #change(change: Partial<SessionListState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
