import { isEphemeralEvent, type Event } from '@pawl/core';
import type { Context } from 'hono';
import * as z from 'zod';
import type { SessionHolder } from '../api/index.ts';
import { ApiError } from '../http/api-error.ts';
import { parseQuery } from '../http/request-input.ts';
import { respondWithEventStream, type StreamClient } from '../http/event-stream.ts';
import { createLiveTextSender } from '../sessions/live-text.ts';
import type { SessionListChange } from '../sessions/list-watcher.ts';
import type { RouteContext } from '../route-context.ts';
import { getPathParameter, type ApiRoute } from './route.ts';

const streamQuerySchema = z.object({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('The last event that is known; the header Last-Event-ID says the same and comes first.'),
});

const streamType = 'text/event-stream';

export const streamRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/sessions/stream',
    name: 'watchSessions',
    summary:
      'Server-sent events: `session` with a row for each session that is new or has changed, `removed` with the id of one that is gone.',
    responses: { 200: { description: 'The stream.', schema: streamType } },
    handle: (context, site) => openStream(context, site, (reader) => streamSessionList(reader, site)),
  },
  {
    method: 'get',
    path: '/sessions/{id}/stream',
    name: 'watchSession',
    summary:
      'Server-sent events: `kept` with each event of the log, its number as id; `live` with what is shown and never kept; `holder` when somebody else has the session. Resumes by Last-Event-ID.',
    query: streamQuerySchema,
    responses: { 200: { description: 'The stream.', schema: streamType } },
    errorStatuses: [404, 410],
    async handle(context, site) {
      const id = getPathParameter(context, 'id');
      const asked = getStreamStart(context);
      // Report a missing session before the stream starts, and ignore a start after the current head.
      const { head } = await site.store.open(id);
      const after = Math.min(asked, head);
      return openStream(context, site, (reader) => streamSessionEvents(reader, { site, id, after }));
    },
  },
];

function openStream(
  context: Context,
  site: RouteContext,
  pump: (reader: StreamClient) => Promise<void>,
): Response {
  const { mask, slowMs, streams } = site;
  return respondWithEventStream(context, { mask, slowMs, onEnd: streams.open() }, pump);
}

function getStreamStart(context: Context): number {
  const last = context.req.header('last-event-id');
  if (last === undefined || last === '') return parseQuery(context, streamQuerySchema).after ?? 0;
  if (/^\d{1,15}$/.test(last)) return Number(last);
  throw new ApiError('bad-request', 'Last-Event-ID has to be the number of an event.');
}

/** A new client also receives earlier changes from this period, because they may have happened while it connected. */
const overlapMs = 5_000;

async function streamSessionList(reader: StreamClient, { listWatcher, now }: RouteContext): Promise<void> {
  // If a session changes faster than the client reads, only its latest row stays pending.
  const waiting = new Map<string, SessionListChange>();
  let bell = Promise.withResolvers<void>();
  const ring = (): void => {
    bell.resolve();
    bell = Promise.withResolvers<void>();
  };
  const stop = listWatcher.subscribe((change) => {
    waiting.set(change.kind === 'changed' ? change.row.id : change.id, change);
    ring();
  }, now() - overlapMs);
  reader.signal.addEventListener('abort', ring, { once: true });
  try {
    while (!reader.signal.aborted) {
      const rung = bell.promise;
      for (const [id, change] of waiting) {
        waiting.delete(id);
        if (!(await reader.send(toListMessage(change)))) return;
      }
      if (waiting.size === 0) await rung;
    }
  } finally {
    stop();
  }
}

function toListMessage(change: SessionListChange): { event: string; data: unknown } {
  return change.kind === 'changed'
    ? { event: 'session', data: change.row }
    : { event: 'removed', data: { id: change.id } };
}

/** Text deltas are batched at this interval, which is too short for users to notice. */
const liveMs = 40;

type SessionStreamContext = { readonly site: RouteContext; readonly id: string; readonly after: number };

async function streamSessionEvents(
  reader: StreamClient,
  { site, id, after }: SessionStreamContext,
): Promise<void> {
  const { store, host, feeds, listWatcher } = site;
  const follower = feeds.follow(id, after);
  let holder: SessionHolder | null = null;
  const send = (event: Event): void => reader.offer({ event: 'live', data: event });
  const live = createLiveTextSender({ mask: site.mask, send, intervalMs: liveMs });
  const unwatch = host.watch(id, (event) => {
    live.observe(event);
    if (!isEphemeralEvent(event)) feeds.pollNow(id);
  });
  const stop = listWatcher.subscribe((change) => {
    if (change.kind !== 'changed' || change.row.id !== id || change.row.holder === holder) return;
    ({ holder } = change.row);
    reader.offer({ event: 'holder', data: { holder } });
  });
  try {
    let last = after;
    while (!reader.signal.aborted) {
      for await (const { seq, event } of store.events(id, last)) {
        if (!(await reader.send({ event: 'kept', id: seq, data: { seq, event } }))) return;
        last = seq;
      }
      await follower.next(last, reader.signal);
    }
  } finally {
    unwatch();
    live.end();
    stop();
    follower.close();
  }
}
