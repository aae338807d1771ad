import { StoreError, type Store } from '@pawl/runtime';

/** Notifies all followers of a session about new events while polling the store only once per session. */
export type EventFeeds = {
  /** `after` is the last event that the follower knows. */
  follow(id: string, after: number): EventFeedFollower;
  /** Polls immediately because an event was just stored. */
  pollNow(id: string): void;
};

export type EventFeedFollower = {
  /** Resolves when there are events after `seq` or the signal aborts; rejects if the session was removed. */
  next(seq: number, signal: AbortSignal): Promise<void>;
  close(): void;
};

type EventFeedState = {
  followers: number;
  /** Sequence number of the last known event. */
  head: number;
  newEvents: PromiseWithResolvers<void>;
  timer: NodeJS.Timeout | null;
  isPolling: boolean;
  isPollRequested: boolean;
};

export function createEventFeeds(store: Store, pollMs: number): EventFeeds {
  const feeds = new Map<string, EventFeedState>();

  const look = async (id: string, feed: EventFeedState): Promise<void> => {
    if (feed.isPolling) {
      feed.isPollRequested = true;
      return;
    }
    feed.isPolling = true;
    if (feed.timer !== null) clearTimeout(feed.timer);
    feed.isPollRequested = false;
    try {
      if ((await loadNewEvents(store, id, feed)) && feed.followers > 0) notifyFollowers(feed);
    } catch (error) {
      if (isPermanentStoreError(error)) feed.newEvents.reject(error);
      // If the store is busy, the next poll tries again.
    } finally {
      feed.isPolling = false;
    }
    if (feed.followers === 0) return;
    feed.timer = setTimeout(() => void look(id, feed), feed.isPollRequested ? 0 : pollMs);
  };

  const feedOf = (id: string, head: number): EventFeedState => {
    const found = feeds.get(id);
    if (found !== undefined) return found;
    const feed: EventFeedState = {
      followers: 0,
      head,
      newEvents: createSignal(),
      timer: null,
      isPolling: false,
      isPollRequested: false,
    };
    feeds.set(id, feed);
    return feed;
  };

  return {
    pollNow(id) {
      const feed = feeds.get(id);
      if (feed !== undefined) void look(id, feed);
    },
    follow(id, after) {
      const feed = feedOf(id, after);
      feed.followers += 1;
      return {
        async next(seq, signal) {
          feed.head = Math.max(feed.head, seq);
          if (feed.timer === null && !feed.isPolling) void look(id, feed);
          while (feed.head <= seq && !signal.aborted) await waitForSignal(feed.newEvents.promise, signal);
        },
        close() {
          feed.followers -= 1;
          if (feed.followers > 0) return;
          if (feed.timer !== null) clearTimeout(feed.timer);
          feeds.delete(id);
        },
      };
    },
  };
}

async function loadNewEvents(store: Store, id: string, feed: EventFeedState): Promise<boolean> {
  const before = feed.head;
  for await (const { seq } of store.events(id, before)) feed.head = seq;
  return feed.head > before;
}

function notifyFollowers(feed: EventFeedState): void {
  feed.newEvents.resolve();
  feed.newEvents = createSignal();
}

function createSignal(): PromiseWithResolvers<void> {
  const bell = Promise.withResolvers<void>();
  // Followers handle the rejection; this only avoids an unhandled rejection.
  bell.promise.catch(() => undefined);
  return bell;
}

function isPermanentStoreError(error: unknown): boolean {
  return error instanceof StoreError && error.code !== 'busy';
}

async function waitForSignal(bell: Promise<void>, signal: AbortSignal): Promise<void> {
  const left = Promise.withResolvers<void>();
  const leave = (): void => left.resolve();
  signal.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([bell, left.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
