import type { Json } from '@pawl/core';
import type { EntryStorage } from '@pawl/runtime/storage';
import type { Store } from '@pawl/runtime/store';
import type { SessionHost } from './hosts/session-host.ts';
import { ApiError } from './http/api-error.ts';
import type { VerdictFeedbackStore } from './feedback-store.ts';
import type { SecretMask } from './secret-mask.ts';
import type { EventFeeds } from './sessions/event-feed.ts';
import type { SessionListWatcher } from './sessions/list-watcher.ts';
import type { SessionLister } from './sessions/session-lister.ts';

/** The dependencies of every route. */
export type RouteContext = {
  readonly store: Store;
  readonly host: SessionHost;
  readonly owner: string;
  readonly mask: SecretMask;
  readonly feedback: VerdictFeedbackStore;
  readonly lister: SessionLister;
  readonly listWatcher: SessionListWatcher;
  readonly feeds: EventFeeds;
  /** Opens the memory storage of a session from its metadata; null if it has none. The caller closes it. */
  readonly openStorage: (metadata: Json) => Promise<EntryStorage | null>;
  /** Returns metrics in Prometheus format; null if they are not collected. */
  readonly metrics: (() => Promise<string>) | null;
  readonly now: () => number;
  readonly version: string;
  readonly slowMs: number;
  readonly streams: StreamLimiter;
};

/** Limits the number of open streams. */
export type StreamLimiter = {
  /** Opens a stream and returns the function that closes it. Throws if too many are open. */
  open(): () => void;
};

export function createStreamLimiter(max: number): StreamLimiter {
  let count = 0;
  return {
    open() {
      if (count >= max) {
        throw new ApiError('too-many', `The maximum of ${max} open streams is reached.`, 'Close some pages.');
      }
      count += 1;
      let isOpen = true;
      return () => {
        if (isOpen) count -= 1;
        isOpen = false;
      };
    },
  };
}
