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
  #unsubscribe: (() => void) | null = null;
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
    this.#unsubscribe = subscribeToStream({
      address: () => this.#api.address('/sessions/stream'),
      onStatusChange: (connection) => this.#update({ connection }),
      beforeReconnect: () => this.#load(),
      onMessage: ({ event, data }) => {
        if (event === 'session') this.#setRow(JSON.parse(data) as SessionListItem);
        else if (event === 'removed') this.#byId.delete((JSON.parse(data) as { readonly id: string }).id);
        if (this.#frame === null) this.#frame = window.setTimeout(() => this.#publishRows(), renderFrameMs);
      },
    });
    return () => this.#unsubscribe?.();
  }

  readonly loadMore = async (): Promise<void> => {
    const { next } = this.#state;
    if (next !== null) await this.#loadPage({ cursor: next });
  };

  /** Searches sessions that are not loaded yet, and adds them to the list. */
  readonly search = async (q: string, signal: AbortSignal): Promise<void> => {
    if (this.#state.next === null || q.trim() === '') return;
    const { sessions } = await this.#api.sessions({ q, limit: listPageSize }, signal);
    for (const row of sessions) this.#setRow(row);
    this.#publishRows();
  };

  async #load(): Promise<void> {
    try {
      // Drop sessions that were removed in the meantime.
      await this.#loadPage({}, () => this.#byId.clear());
    } catch (error) {
      if (error instanceof ApiRequestError) this.#update({ error, isLoading: false });
      throw error;
    }
  }

  async #loadPage(from: { readonly cursor?: string }, onLoaded?: () => void): Promise<void> {
    const { sessions, next } = await this.#api.sessions({ limit: listPageSize, ...from });
    onLoaded?.();
    for (const row of sessions) this.#setRow(row);
    this.#update({ next, isLoading: false, error: null });
    this.#publishRows();
  }

  #setRow(row: SessionListItem): void {
    this.#byId.set(row.id, row);
  }

  #publishRows(): void {
    this.#frame = null;
    const rows = [...this.#byId.values()].toSorted((one, other) => other.updatedAt - one.updatedAt);
    this.#update({ rows });
  }

  #update(change: Partial<SessionListState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
