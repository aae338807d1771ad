import type { Json } from '@pawl/core';
import type { Storage, Store } from '@pawl/runtime';
import type { Host } from './hosts/host.ts';
import { ApiError } from './http/api-error.ts';
import type { Marks } from './marks.ts';
import type { Mask } from './mask.ts';
import type { Feeds } from './sessions/event-feed.ts';
import type { RowWatch } from './sessions/row-watch.ts';
import type { Rows } from './sessions/rows.ts';

/** What every route works with. */
export type Site = {
  readonly store: Store;
  readonly host: Host;
  readonly owner: string;
  readonly mask: Mask;
  readonly marks: Marks;
  readonly rows: Rows;
  readonly rowWatch: RowWatch;
  readonly feeds: Feeds;
  /** The storage of a session, told from what is kept about it; null where it has none. It is closed after use. */
  readonly shelfOf: (about: Json) => Promise<Storage | null>;
  /** Figures for Prometheus, where somebody counts them. */
  readonly metrics: (() => Promise<string>) | null;
  readonly now: () => number;
  readonly version: string;
  readonly slowMs: number;
  readonly streams: Streams;
};

/** How many streams are open, of those that may be. */
export type Streams = {
  /** Returns what closes it. */
  open(): () => void;
};

export function createStreams(max: number): Streams {
  let count = 0;
  return {
    open() {
      if (count >= max) {
        throw new ApiError('too-many', `${max} streams are open already.`, 'Close some of the pages.');
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
