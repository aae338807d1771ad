import type { Event } from '@pawl/core';
import { ApiRequestError, type ApiClient } from './api.ts';
import type { NumberedEvent, SessionDetail } from './api-types.ts';
import { subscribeToStream, renderFrameMs, type ConnectionStatus } from './stream-subscription.ts';
import { clearStoredOutput, emptyLiveOutput, applyLiveEvent, type LiveOutput } from './live-output.ts';
import { EventGapError, ReplayedTimeline } from './replayed-timeline.ts';

/** Everything known about a session. The state is replaced as a whole on every change. */
export type SessionFeedState =
  | { readonly phase: 'loading' }
  | { readonly phase: 'failed'; readonly error: ApiRequestError }
  | {
      readonly phase: 'ready';
      readonly detail: SessionDetail;
      readonly track: ReplayedTimeline;
      readonly version: number;
      readonly live: LiveOutput | null;
      readonly connection: ConnectionStatus;
      /** Whether the existing events are still being loaded. */
      readonly isFilling: boolean;
      /** Number of the last event, as far as known. */
      readonly head: number;
    };

type RequestedPage = { readonly after: number; readonly page: ReturnType<ApiClient['events']> };

type ReadyFeedState = Extract<SessionFeedState, { readonly phase: 'ready' }>;

/** Large pages, so that a long session loads in few round trips. */
const feedPageSize = 5_000;
/** Number of events that can be replayed between two frames. */
const feedSliceSize = 1_000;
/** While the existing events load, the page first renders after `firstShowMs` and then at this interval. */
const firstShowMs = 400;
const feedShowEveryMs = 250;
const pagesAtOnce = 2;

/** Loads a session from its first event, follows its stream and holds the state to render. */
export class SessionFeed {
  readonly #id: string;
  readonly #api: ApiClient;
  readonly #stopping = new AbortController();
  readonly #listeners = new Set<() => void>();
  #state: SessionFeedState = { phase: 'loading' };
  #unfollow: (() => void) | null = null;
  /** Messages received since the last frame. */
  #heard: { readonly kept: NumberedEvent[]; readonly live: Event[] } = { kept: [], live: [] };
  #frame: number | null = null;
  #isCatchingUp = false;

  constructor(id: string, api: ApiClient) {
    this.#id = id;
    this.#api = api;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionFeedState => this.#state;

  start(): void {
    void this.#load().catch((error: unknown) => {
      if (this.#stopping.signal.aborted) return;
      this.#set({ phase: 'failed', error: toApiRequestError(error) });
    });
  }

  stop(): void {
    this.#stopping.abort();
    this.#unfollow?.();
    if (this.#frame !== null) clearTimeout(this.#frame);
  }

  /** Fetches the session details that are not events, such as the holder and the feedback on verdicts. */
  readonly refresh = async (): Promise<void> => {
    const detail = await this.#api.session(this.#id, this.#stopping.signal);
    this.#change({ detail });
  };

  async #load(): Promise<void> {
    const first = [{ after: 0, page: this.#page(0) }];
    const detail = await this.#api.session(this.#id, this.#stopping.signal);
    const track = new ReplayedTimeline(detail.created);
    const ready: SessionFeedState = {
      phase: 'ready',
      detail,
      track,
      version: 0,
      live: null,
      connection: 'connecting',
      isFilling: true,
      head: detail.head,
    };
    // Do not notify listeners yet: most sessions load before the delay is noticeable.
    this.#state = ready;
    await this.#fill(track, detail.head, first);
    this.#change({ isFilling: false });
    this.#follow(track);
  }

  /** Loads page after page, and prefetches further pages while one is replayed. */
  async #fill(track: ReplayedTimeline, known: number, first: readonly RequestedPage[] = []): Promise<void> {
    let asked = first;
    let shownAt = performance.now() + firstShowMs;
    for (;;) {
      asked = this.#askAhead(asked, track.head, known);
      const { events, head, more } = await (asked[0]?.page ?? this.#page(track.head));
      asked = asked.slice(1);
      for (let from = 0; from < events.length; from += feedSliceSize) {
        track.add(events.slice(from, from + feedSliceSize));
        if (performance.now() > shownAt) {
          this.#change({ head });
          shownAt = performance.now() + feedShowEveryMs;
        }
        await waitForNextFrame();
        if (this.#stopping.signal.aborted) return;
      }
      if (!more) return this.#change({ head });
    }
  }

  #askAhead(asked: readonly RequestedPage[], head: number, known: number): readonly RequestedPage[] {
    // If the server returned fewer events than requested, discard the prefetched pages and continue from the head.
    const fitting = asked[0]?.after === head ? [...asked] : [];
    for (
      let after = head + fitting.length * feedPageSize;
      fitting.length < pagesAtOnce;
      after += feedPageSize
    ) {
      if (after >= known) break;
      fitting.push({ after, page: this.#page(after) });
    }
    return fitting;
  }

  #page(after: number): ReturnType<ApiClient['events']> {
    const page = this.#api.events(this.#id, { after, limit: feedPageSize }, this.#stopping.signal);
    // Avoid an unhandled rejection; the caller that awaits the page still gets the error.
    page.catch(() => {});
    return page;
  }

  #follow(track: ReplayedTimeline): void {
    const path = `/sessions/${encodeURIComponent(this.#id)}/stream`;
    this.#unfollow = subscribeToStream({
      address: () => this.#api.address(`${path}?after=${track.head}`),
      changed: (connection) => this.#change({ connection, live: null }),
      again: () => this.refresh(),
      heard: ({ event, data }) => {
        if (event === 'kept') this.#heard.kept.push(JSON.parse(data) as NumberedEvent);
        else if (event === 'live') this.#heard.live.push(JSON.parse(data) as Event);
        else if (event === 'holder') this.refresh().catch(() => {});
        this.#frame ??= window.setTimeout(() => this.#take(track), renderFrameMs);
      },
    });
  }

  /** Applies all messages received since the last frame at once. */
  #take(track: ReplayedTimeline): void {
    this.#frame = null;
    if (this.#isCatchingUp || this.#state.phase !== 'ready') return;
    const { kept, live } = this.#heard;
    this.#heard = { kept: [], live: [] };
    let shown = this.#state.live ?? emptyLiveOutput;
    for (const { event } of kept) shown = clearStoredOutput(shown, event);
    for (const event of live) shown = applyLiveEvent(shown, event);
    try {
      track.add(kept);
    } catch (error) {
      if (!(error instanceof EventGapError)) throw error;
      void this.#catchUp(track);
    }
    this.#change({ live: shown === emptyLiveOutput ? null : shown, head: track.head });
  }

  async #catchUp(track: ReplayedTimeline): Promise<void> {
    this.#isCatchingUp = true;
    try {
      await this.#fill(track, track.head);
    } catch {
      // The stream will end too, and its next attempt starts at the timeline's head.
    } finally {
      this.#isCatchingUp = false;
      this.#frame ??= window.setTimeout(() => this.#take(track), renderFrameMs);
    }
  }

  #change(change: Partial<Omit<ReadyFeedState, 'phase' | 'version' | 'track'>>): void {
    if (this.#state.phase !== 'ready' || this.#stopping.signal.aborted) return;
    const { version, head } = this.#state;
    this.#set({
      ...this.#state,
      ...change,
      version: version + 1,
      head: Math.max(change.head ?? head, this.#state.track.head),
    });
  }

  #set(state: SessionFeedState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function toApiRequestError(error: unknown): ApiRequestError {
  if (error instanceof ApiRequestError) return error;
  return new ApiRequestError('internal', error instanceof Error ? error.message : String(error));
}

/** Yields so that the page can render and respond. Uses a timer because animation frames stop in hidden windows. */
function waitForNextFrame(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
