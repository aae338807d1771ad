import type { Api } from './api.ts';
import type { ImportedRun, Command, SessionDetail } from './api-types.ts';
import type { LiveShow } from './live-show.ts';
import type { Track } from './track.ts';
import type { ViewName } from './view-names.ts';

/** A session of the store, or a run that was dropped into the page and that only the page knows. */
export type Detail =
  | ({ readonly kind: 'kept' } & SessionDetail)
  | ({ readonly kind: 'imported'; readonly id: string } & ImportedRun);

export type SessionViewProps = {
  readonly track: Track;
  /** Changes whenever the track has grown; the track itself stays the same object. */
  readonly version: number;
  /** The number of the event that is looked at; `track.head` when following. */
  readonly at: number;
  readonly isFollowing: boolean;
  readonly detail: Detail;
  /** What streams in right now and is never stored; null when nothing does, or when the past is looked at. */
  readonly live: LiveShow | null;
  readonly api: Api;
  readonly go: (to: { readonly seq?: number | 'now'; readonly view?: ViewName }) => void;
  /** Null where nothing can be asked of the session; `detail.why` says why. */
  readonly send: ((command: Command) => Promise<void>) | null;
};

/** What a page that is not about one session is given. */
export type PageProps = {
  readonly api: Api;
  /** What stands after the `?` of the address, such as `a` and `b` of a comparison. */
  readonly query: URLSearchParams;
  /** Goes to another address of the page, such as `#/s/<id>/why?at=7`. */
  readonly open: (address: string) => void;
  /** Keeps runs that were read from a file for as long as the page is open; returns the address of each. */
  readonly keepImported: (runs: readonly ImportedRun[]) => readonly string[];
};
