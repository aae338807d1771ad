import type { ApiClient } from './api.ts';
import type { ImportedRun, CommandRequest, SessionDetail } from './api-types.ts';
import type { LiveOutput } from './live-output.ts';
import type { ReplayedTimeline } from './replayed-timeline.ts';
import type { ViewName } from './page-route.ts';

/** A stored session, or an imported run that exists only in this page. */
export type ViewedSession =
  | ({ readonly kind: 'stored' } & SessionDetail)
  | ({ readonly kind: 'imported'; readonly id: string } & ImportedRun);

export type SessionViewProps = {
  readonly timeline: ReplayedTimeline;
  /** Changes whenever the timeline grows; the timeline itself stays the same object. */
  readonly version: number;
  /** Number of the selected event; `timeline.head` when following. */
  readonly at: number;
  readonly isFollowing: boolean;
  readonly detail: ViewedSession;
  /** Streamed output that is never stored; null if there is none or if an earlier event is selected. */
  readonly live: LiveOutput | null;
  readonly api: ApiClient;
  readonly navigate: (to: { readonly seq?: number | 'now'; readonly view?: ViewName }) => void;
  /** Null if the session accepts no commands; `detail.why` gives the reason. */
  readonly send: ((command: CommandRequest) => Promise<void>) | null;
};

/** Props of pages that do not show a single session. */
export type PageProps = {
  readonly api: ApiClient;
  /** Query parameters of the address, such as `a` and `b` of a comparison. */
  readonly query: URLSearchParams;
  /** Opens another address in the page, such as `#/s/<id>/why?at=7`. */
  readonly open: (address: string) => void;
  /** Stores imported runs while the page is open and returns the address of each. */
  readonly storeImported: (runs: readonly ImportedRun[]) => readonly string[];
};
