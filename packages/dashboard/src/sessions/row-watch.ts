import { StoreError, type SessionSummary, type Store } from '@pawl/runtime';
import type { SessionRow } from '../api/index.ts';
import type { Host } from '../hosts/host.ts';
import type { Rows } from './rows.ts';

export type RowChange =
  | { readonly kind: 'changed'; readonly row: SessionRow }
  | { readonly kind: 'removed'; readonly id: string };

/** Looks at the store for as long as anybody wants to know, and tells what has changed in the list. */
export type RowWatch = {
  /** With `since`, the listener first hears of what has changed since then. Returns how to stop. */
  subscribe(listener: (change: RowChange) => void, since?: number): () => void;
};

export type RowWatchOptions = {
  readonly store: Store;
  readonly host: Host;
  readonly rows: Rows;
  readonly pollMs: number;
};

/** Older sessions than these do not change any more. */
const watchedMax = 5_000;

export function createRowWatch({ store, host, rows, pollMs }: RowWatchOptions): RowWatch {
  const listeners = new Set<(change: RowChange) => void>();
  let known: ReadonlyMap<string, string> | null = null;
  let timer: NodeJS.Timeout | null = null;

  const tell = (change: RowChange): void => {
    for (const listener of listeners) listener(change);
  };

  const look = async (): Promise<void> => {
    const list = await store.list({ limit: watchedMax });
    const before = known;
    const signs = new Map(list.map((each) => [each.id, signOf(each, host)]));
    known = signs;
    if (before === null) return;
    for (const each of list) {
      if (before.get(each.id) === signs.get(each.id)) continue;
      const row = await rows.rowOf(each).catch(() => null);
      if (row !== null) tell({ kind: 'changed', row });
    }
    for (const id of before.keys()) {
      if (!signs.has(id) && (await isGone(store, id))) tell({ kind: 'removed', id });
    }
  };

  let isLooking = false;
  const round = (): void => {
    isLooking = true;
    // A store that is busy now is looked at again.
    void look()
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
        if (listeners.size > 0) timer = setTimeout(round, pollMs);
        else end();
      });
  };

  const end = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    known = null;
  };

  return {
    subscribe(listener, since) {
      if (since !== undefined) void tellSince(since, listener).catch(() => undefined);
      listeners.add(listener);
      if (timer === null && !isLooking) round();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) end();
      };
    },
  };

  /** What happened between a first look at the list and this one would be known to nobody. */
  async function tellSince(since: number, listener: (change: RowChange) => void): Promise<void> {
    for (const each of await store.list({ limit: watchedMax })) {
      if (each.updatedAt >= since) listener({ kind: 'changed', row: await rows.rowOf(each) });
    }
  }
}

/** A row is sent again when this changes. */
function signOf(summary: SessionSummary, host: Host): string {
  return `${summary.head} ${summary.status} ${host.holderOf(summary)}`;
}

async function isGone(store: Store, id: string): Promise<boolean> {
  try {
    await store.open(id);
    return false;
  } catch (error) {
    return error instanceof StoreError && error.code === 'missing';
  }
}
