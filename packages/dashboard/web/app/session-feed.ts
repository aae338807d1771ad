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
      readonly timeline: ReplayedTimeline;
      readonly version: number;
      readonly live: LiveOutput | null;
      readonly connection: ConnectionStatus;
      /** Whether the existing events are still being loaded. */
      readonly isLoadingEvents: boolean;
      /** Number of the last event, as far as known. */
      readonly head: number;
    };

type RequestedPage = { readonly after: number; readonly page: ReturnType<ApiClient['events']> };

type ReadyFeedState = Extract<SessionFeedState, { readonly phase: 'ready' }>;

/** Large pages, so that a long session loads in few round trips. */
const feedPageSize = 5_000;
/** Number of events that can be replayed between two frames. */
const feedSliceSize = 1_000;
/** While the existing events load, the page first renders after `firstRenderMs` and then at this interval. */
const firstRenderMs = 400;
const renderIntervalMs = 250;
const concurrentPages = 2;

/** Loads a session from its first event, follows its stream and holds the state to render. */
export class SessionFeed {
  readonly #id: string;
  readonly #api: ApiClient;
  readonly #stopping = new AbortController();
  readonly #listeners = new Set<() => void>();
  #state: SessionFeedState = { phase: 'loading' };
  #unsubscribe: (() => void) | null = null;
  /** Messages received since the last frame. */
  #received: { readonly stored: NumberedEvent[]; readonly live: Event[] } = { stored: [], live: [] };
  #frame: number | null = null;
  #isLoadingMissing = false;

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
      this.#setState({ phase: 'failed', error: toApiRequestError(error) });
    });
  }

  stop(): void {
    this.#stopping.abort();
    this.#unsubscribe?.();
    if (this.#frame !== null) clearTimeout(this.#frame);
  }

  /** Fetches the session details that are not events, such as the holder and the feedback on verdicts. */
  readonly refresh = async (): Promise<void> => {
    const detail = await this.#api.session(this.#id, this.#stopping.signal);
    this.#update({ detail });
  };

  async #load(): Promise<void> {
    const first = [{ after: 0, page: this.#fetchPage(0) }];
    const detail = await this.#api.session(this.#id, this.#stopping.signal);
    const timeline = new ReplayedTimeline(detail.created);
    const ready: SessionFeedState = {
      phase: 'ready',
      detail,
      timeline,
      version: 0,
      live: null,
      connection: 'connecting',
      isLoadingEvents: true,
      head: detail.head,
    };
    // Do not notify listeners yet: most sessions load before the delay is noticeable.
    this.#state = ready;
    await this.#loadEvents(timeline, detail.head, first);
    this.#update({ isLoadingEvents: false });
    this.#subscribeToEvents(timeline);
  }

  /** Loads page after page, and prefetches further pages while one is replayed. */
  async #loadEvents(
    timeline: ReplayedTimeline,
    knownHead: number,
    first: readonly RequestedPage[] = [],
  ): Promise<void> {
    let pages = first;
    let renderedAt = performance.now() + firstRenderMs;
    for (;;) {
      pages = this.#prefetch(pages, timeline.head, knownHead);
      const { events, head, more } = await (pages[0]?.page ?? this.#fetchPage(timeline.head));
      pages = pages.slice(1);
      for (let from = 0; from < events.length; from += feedSliceSize) {
        timeline.add(events.slice(from, from + feedSliceSize));
        if (performance.now() > renderedAt) {
          this.#update({ head });
          renderedAt = performance.now() + renderIntervalMs;
        }
        await waitForNextFrame();
        if (this.#stopping.signal.aborted) return;
      }
      if (!more) return this.#update({ head });
    }
  }

  #prefetch(pages: readonly RequestedPage[], head: number, knownHead: number): readonly RequestedPage[] {
    // If the server returned fewer events than requested, discard the prefetched pages and continue from the head.
    const usable = pages[0]?.after === head ? [...pages] : [];
    for (
      let after = head + usable.length * feedPageSize;
      usable.length < concurrentPages;
      after += feedPageSize
    ) {
      if (after >= knownHead) break;
      usable.push({ after, page: this.#fetchPage(after) });
    }
    return usable;
  }

  #fetchPage(after: number): ReturnType<ApiClient['events']> {
    const page = this.#api.events(this.#id, { after, limit: feedPageSize }, this.#stopping.signal);
    // Avoid an unhandled rejection; the caller that awaits the page still gets the error.
    page.catch(() => {});
    return page;
  }

  #subscribeToEvents(timeline: ReplayedTimeline): void {
    const path = `/sessions/${encodeURIComponent(this.#id)}/stream`;
    this.#unsubscribe = subscribeToStream({
      address: () => this.#api.address(`${path}?after=${timeline.head}`),
      onStatusChange: (connection) => this.#update({ connection, live: null }),
      beforeReconnect: () => this.refresh(),
      onMessage: ({ event, data }) => {
        if (event === 'kept') this.#received.stored.push(JSON.parse(data) as NumberedEvent);
        else if (event === 'live') this.#received.live.push(JSON.parse(data) as Event);
        else if (event === 'holder') this.refresh().catch(() => {});
        this.#frame ??= window.setTimeout(() => this.#applyReceived(timeline), renderFrameMs);
      },
    });
  }

  /** Applies all messages received since the last frame at once. */
  #applyReceived(timeline: ReplayedTimeline): void {
    this.#frame = null;
    if (this.#isLoadingMissing || this.#state.phase !== 'ready') return;
    const { stored, live } = this.#received;
    this.#received = { stored: [], live: [] };
    let output = this.#state.live ?? emptyLiveOutput;
    for (const { event } of stored) output = clearStoredOutput(output, event);
    for (const event of live) output = applyLiveEvent(output, event);
    try {
      timeline.add(stored);
    } catch (error) {
      if (!(error instanceof EventGapError)) throw error;
      void this.#loadMissingEvents(timeline);
    }
    this.#update({ live: output === emptyLiveOutput ? null : output, head: timeline.head });
  }

  async #loadMissingEvents(timeline: ReplayedTimeline): Promise<void> {
    this.#isLoadingMissing = true;
    try {
      await this.#loadEvents(timeline, timeline.head);
    } catch {
      // The stream will end too, and its next attempt starts at the timeline's head.
    } finally {
      this.#isLoadingMissing = false;
      this.#frame ??= window.setTimeout(() => this.#applyReceived(timeline), renderFrameMs);
    }
  }

  #update(change: Partial<Omit<ReadyFeedState, 'phase' | 'version' | 'timeline'>>): void {
    if (this.#state.phase !== 'ready' || this.#stopping.signal.aborted) return;
    const { version, head } = this.#state;
    this.#setState({
      ...this.#state,
      ...change,
      version: version + 1,
      head: Math.max(change.head ?? head, this.#state.timeline.head),
    });
  }

  #setState(state: SessionFeedState): void {
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
