import type { Event } from '@pawl/core';
import { ApiError, type Api } from './api.ts';
import type { KeptEvent, SessionDetail } from './api-types.ts';
import { follow, frameMs, type Connection } from './follow.ts';
import { afterKept, nothingLive, showLive, type LiveShow } from './live-show.ts';
import { GapError, Track } from './track.ts';

/** All that is known of a session at a moment. It is replaced as a whole whenever something changes. */
export type FeedState =
  | { readonly phase: 'loading' }
  | { readonly phase: 'failed'; readonly error: ApiError }
  | {
      readonly phase: 'ready';
      readonly detail: SessionDetail;
      readonly track: Track;
      readonly version: number;
      readonly live: LiveShow | null;
      readonly connection: Connection;
      /** Whether events that were there at the beginning are still being read. */
      readonly isFilling: boolean;
      /** How many events there are, as far as anybody has said. */
      readonly head: number;
    };

type AskedPage = { readonly after: number; readonly page: ReturnType<Api['events']> };

type Ready = Extract<FeedState, { readonly phase: 'ready' }>;

/** Few pages, so that a long session is there after few round trips. */
const pageSize = 5_000;
/** As many as can be replayed between two frames. */
const sliceSize = 1_000;
/** While the past is read, what there is of it is shown after a while, and then follows this often. */
const patienceMs = 400;
const showEveryMs = 250;
const pagesAtOnce = 2;

/** Reads a session from its first event, follows it, and keeps what is shown of it. */
export class SessionFeed {
  readonly #id: string;
  readonly #api: Api;
  readonly #stopping = new AbortController();
  readonly #listeners = new Set<() => void>();
  #state: FeedState = { phase: 'loading' };
  #unfollow: (() => void) | null = null;
  /** What has come in since the last frame. */
  #heard: { readonly kept: KeptEvent[]; readonly live: Event[] } = { kept: [], live: [] };
  #frame: number | null = null;
  #isCatchingUp = false;

  constructor(id: string, api: Api) {
    this.#id = id;
    this.#api = api;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): FeedState => this.#state;

  start(): void {
    void this.#load().catch((error: unknown) => {
      if (this.#stopping.signal.aborted) return;
      this.#set({ phase: 'failed', error: asApiError(error) });
    });
  }

  stop(): void {
    this.#stopping.abort();
    this.#unfollow?.();
    if (this.#frame !== null) clearTimeout(this.#frame);
  }

  /** Asks for what the server says about the session besides its events: who runs it, what people think of verdicts. */
  readonly refresh = async (): Promise<void> => {
    const detail = await this.#api.session(this.#id, this.#stopping.signal);
    this.#change({ detail });
  };

  async #load(): Promise<void> {
    const first = [{ after: 0, page: this.#page(0) }];
    const detail = await this.#api.session(this.#id, this.#stopping.signal);
    const track = new Track(detail.created);
    const ready: FeedState = {
      phase: 'ready',
      detail,
      track,
      version: 0,
      live: null,
      connection: 'connecting',
      isFilling: true,
      head: detail.head,
    };
    // Nobody is told yet: most sessions are read before anybody could notice the wait.
    this.#state = ready;
    await this.#fill(track, detail.head, first);
    this.#change({ isFilling: false });
    this.#follow(track);
  }

  /** Page after page; those to come are on their way while this one is replayed. */
  async #fill(track: Track, known: number, first: readonly AskedPage[] = []): Promise<void> {
    let asked = first;
    let shownAt = performance.now() + patienceMs;
    for (;;) {
      asked = this.#askAhead(asked, track.head, known);
      const { events, head, more } = await (asked[0]?.page ?? this.#page(track.head));
      asked = asked.slice(1);
      for (let from = 0; from < events.length; from += sliceSize) {
        track.add(events.slice(from, from + sliceSize));
        if (performance.now() > shownAt) {
          this.#change({ head });
          shownAt = performance.now() + showEveryMs;
        }
        await untilNextFrame();
        if (this.#stopping.signal.aborted) return;
      }
      if (!more) return this.#change({ head });
    }
  }

  #askAhead(asked: readonly AskedPage[], head: number, known: number): readonly AskedPage[] {
    // A server that gave less than it was asked for is asked anew from where it ended.
    const fitting = asked[0]?.after === head ? [...asked] : [];
    for (let after = head + fitting.length * pageSize; fitting.length < pagesAtOnce; after += pageSize) {
      if (after >= known) break;
      fitting.push({ after, page: this.#page(after) });
    }
    return fitting;
  }

  #page(after: number): ReturnType<Api['events']> {
    const page = this.#api.events(this.#id, { after, limit: pageSize }, this.#stopping.signal);
    // It may fail before anybody waits for it; whoever does is told all the same.
    page.catch(() => {});
    return page;
  }

  #follow(track: Track): void {
    const path = `/sessions/${encodeURIComponent(this.#id)}/stream`;
    this.#unfollow = follow({
      address: () => this.#api.address(`${path}?after=${track.head}`),
      changed: (connection) => this.#change({ connection, live: null }),
      again: () => this.refresh(),
      heard: ({ event, data }) => {
        if (event === 'kept') this.#heard.kept.push(JSON.parse(data) as KeptEvent);
        else if (event === 'live') this.#heard.live.push(JSON.parse(data) as Event);
        else if (event === 'holder') this.refresh().catch(() => {});
        this.#frame ??= window.setTimeout(() => this.#take(track), frameMs);
      },
    });
  }

  /** Takes what came in since the last frame, all at once. */
  #take(track: Track): void {
    this.#frame = null;
    if (this.#isCatchingUp || this.#state.phase !== 'ready') return;
    const { kept, live } = this.#heard;
    this.#heard = { kept: [], live: [] };
    let shown = this.#state.live ?? nothingLive;
    for (const { event } of kept) shown = afterKept(shown, event);
    for (const event of live) shown = showLive(shown, event);
    try {
      track.add(kept);
    } catch (error) {
      if (!(error instanceof GapError)) throw error;
      void this.#catchUp(track);
    }
    this.#change({ live: shown === nothingLive ? null : shown, head: track.head });
  }

  async #catchUp(track: Track): Promise<void> {
    this.#isCatchingUp = true;
    try {
      await this.#fill(track, track.head);
    } catch {
      // The stream will end as well, and its next attempt begins where the track ends.
    } finally {
      this.#isCatchingUp = false;
      this.#frame ??= window.setTimeout(() => this.#take(track), frameMs);
    }
  }

  #change(change: Partial<Omit<Ready, 'phase' | 'version' | 'track'>>): void {
    if (this.#state.phase !== 'ready' || this.#stopping.signal.aborted) return;
    const { version, head } = this.#state;
    this.#set({
      ...this.#state,
      ...change,
      version: version + 1,
      head: Math.max(change.head ?? head, this.#state.track.head),
    });
  }

  #set(state: FeedState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError('internal', error instanceof Error ? error.message : String(error));
}

/** Lets the page draw and answer; a timer, because frames stand still in a window nobody sees. */
function untilNextFrame(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
