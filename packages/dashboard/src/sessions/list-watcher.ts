import { StoreError, type SessionSummary, type Store } from '@pawl/runtime/store';
import type { SessionListItem } from '../api/index.ts';
import type { SessionHost } from '../hosts/session-host.ts';
import type { SessionLister } from './session-lister.ts';

export type SessionListChange =
  | { readonly kind: 'changed'; readonly row: SessionListItem }
  | { readonly kind: 'removed'; readonly id: string };

/** Polls the store while there are subscribers and reports changes in the session list. */
export type SessionListWatcher = {
  /** With `since`, the listener first receives the changes since then. Returns an unsubscribe function. */
  subscribe(listener: (change: SessionListChange) => void, since?: number): () => void;
};

export type SessionListWatcherOptions = {
  readonly store: Store;
  readonly host: SessionHost;
  readonly lister: SessionLister;
  readonly pollMs: number;
};

/** Only the most recently updated sessions are watched; older ones no longer change. */
const watchedSessionsMax = 5_000;

export function createSessionListWatcher({
  store,
  host,
  lister,
  pollMs,
}: SessionListWatcherOptions): SessionListWatcher {
  const listeners = new Set<(change: SessionListChange) => void>();
  let knownVersions: ReadonlyMap<string, string> | null = null;
  let timer: NodeJS.Timeout | null = null;

  const notify = (change: SessionListChange): void => {
    for (const listener of listeners) listener(change);
  };

  const poll = async (): Promise<void> => {
    const list = await store.list({ limit: watchedSessionsMax });
    const before = knownVersions;
    const versions = new Map(list.map((each) => [each.id, getListItemVersion(each, host)]));
    knownVersions = versions;
    if (before === null) return;
    for (const each of list) {
      if (before.get(each.id) === versions.get(each.id)) continue;
      const row = await lister.toListItem(each).catch(() => null);
      if (row !== null) notify({ kind: 'changed', row });
    }
    for (const id of before.keys()) {
      if (!versions.has(id) && (await isSessionRemoved(store, id))) notify({ kind: 'removed', id });
    }
  };

  let isPolling = false;
  const runPoll = (): void => {
    isPolling = true;
    // If the store is busy, the next poll tries again.
    void poll()
      .catch(() => undefined)
      .finally(() => {
        isPolling = false;
        if (listeners.size > 0) timer = setTimeout(runPoll, pollMs);
        else reset();
      });
  };

  const reset = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    knownVersions = null;
  };

  return {
    subscribe(listener, since) {
      if (since !== undefined) void sendChangesSince(since, listener).catch(() => undefined);
      listeners.add(listener);
      if (timer === null && !isPolling) runPoll();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) reset();
      };
    },
  };

  /** Covers changes between the subscriber's initial fetch and this subscription. */
  async function sendChangesSince(
    since: number,
    listener: (change: SessionListChange) => void,
  ): Promise<void> {
    for (const each of await store.list({ limit: watchedSessionsMax })) {
      if (each.updatedAt >= since) listener({ kind: 'changed', row: await lister.toListItem(each) });
    }
  }
}

/** A row is sent again when its version changes. */
function getListItemVersion(summary: SessionSummary, host: SessionHost): string {
  return `${summary.head} ${summary.status} ${host.getHolder(summary)}`;
}

async function isSessionRemoved(store: Store, id: string): Promise<boolean> {
  try {
    await store.open(id);
    return false;
  } catch (error) {
    return error instanceof StoreError && error.code === 'missing';
  }
}
