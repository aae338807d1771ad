import { StoreError, type Store } from '@pawl/runtime/store';

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

  const poll = async (id: string, feed: EventFeedState): Promise<void> => {
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
    feed.timer = setTimeout(() => void poll(id, feed), feed.isPollRequested ? 0 : pollMs);
  };

  const getFeed = (id: string, head: number): EventFeedState => {
    const existing = feeds.get(id);
    if (existing !== undefined) return existing;
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
      if (feed !== undefined) void poll(id, feed);
    },
    follow(id, after) {
      const feed = getFeed(id, after);
      feed.followers += 1;
      return {
        async next(seq, signal) {
          feed.head = Math.max(feed.head, seq);
          if (feed.timer === null && !feed.isPolling) void poll(id, feed);
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
  const signal = Promise.withResolvers<void>();
  // Followers handle the rejection; this only avoids an unhandled rejection.
  signal.promise.catch(() => undefined);
  return signal;
}

function isPermanentStoreError(error: unknown): boolean {
  return error instanceof StoreError && error.code !== 'busy';
}

async function waitForSignal(newEvents: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  const onAbort = (): void => aborted.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([newEvents, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
