import { StoreError, type Store } from '@pawl/runtime';

/** Tells readers of one session that there is more of it, however many they are, with one look at the store. */
export type Feeds = {
  /** `after` is the last event that this reader knows of. */
  follow(id: string, after: number): Follower;
  /** Looks at once: something was kept just now. */
  poke(id: string): void;
};

export type Follower = {
  /** Resolves when there are events after this one, or when the signal is aborted; rejects once the session is gone. */
  next(seq: number, signal: AbortSignal): Promise<void>;
  close(): void;
};

type Feed = {
  followers: number;
  /** The last event that is known of. */
  head: number;
  bell: PromiseWithResolvers<void>;
  timer: NodeJS.Timeout | null;
  isLooking: boolean;
  isPoked: boolean;
};

export function createFeeds(store: Store, pollMs: number): Feeds {
  const feeds = new Map<string, Feed>();

  const look = async (id: string, feed: Feed): Promise<void> => {
    if (feed.isLooking) {
      feed.isPoked = true;
      return;
    }
    feed.isLooking = true;
    if (feed.timer !== null) clearTimeout(feed.timer);
    feed.isPoked = false;
    try {
      if ((await hasMore(store, id, feed)) && feed.followers > 0) ring(feed);
    } catch (error) {
      if (isGone(error)) feed.bell.reject(error);
      // A store that is busy now is looked at again.
    } finally {
      feed.isLooking = false;
    }
    if (feed.followers === 0) return;
    feed.timer = setTimeout(() => void look(id, feed), feed.isPoked ? 0 : pollMs);
  };

  const feedOf = (id: string, head: number): Feed => {
    const found = feeds.get(id);
    if (found !== undefined) return found;
    const feed: Feed = {
      followers: 0,
      head,
      bell: newBell(),
      timer: null,
      isLooking: false,
      isPoked: false,
    };
    feeds.set(id, feed);
    return feed;
  };

  return {
    poke(id) {
      const feed = feeds.get(id);
      if (feed !== undefined) void look(id, feed);
    },
    follow(id, after) {
      const feed = feedOf(id, after);
      feed.followers += 1;
      return {
        async next(seq, signal) {
          feed.head = Math.max(feed.head, seq);
          if (feed.timer === null && !feed.isLooking) void look(id, feed);
          while (feed.head <= seq && !signal.aborted) await either(feed.bell.promise, signal);
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

async function hasMore(store: Store, id: string, feed: Feed): Promise<boolean> {
  const before = feed.head;
  for await (const { seq } of store.events(id, before)) feed.head = seq;
  return feed.head > before;
}

function ring(feed: Feed): void {
  feed.bell.resolve();
  feed.bell = newBell();
}

function newBell(): PromiseWithResolvers<void> {
  const bell = Promise.withResolvers<void>();
  // Whoever waits is told; this only keeps Node from calling it unhandled.
  bell.promise.catch(() => undefined);
  return bell;
}

function isGone(error: unknown): boolean {
  return error instanceof StoreError && error.code !== 'busy';
}

async function either(bell: Promise<void>, signal: AbortSignal): Promise<void> {
  const left = Promise.withResolvers<void>();
  const leave = (): void => left.resolve();
  signal.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([bell, left.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
