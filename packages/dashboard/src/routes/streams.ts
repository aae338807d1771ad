import { isEphemeralEvent, type Event } from '@pawl/core';
import type { Context } from 'hono';
import * as z from 'zod';
import type { SessionHolder } from '../api/index.ts';
import { ApiError } from '../http/api-error.ts';
import { parseQuery } from '../http/request-input.ts';
import { respondWithEventStream, type StreamClient } from '../http/event-stream.ts';
import { createLiveTextSender } from '../sessions/live-text.ts';
import type { SessionListChange } from '../sessions/list-watcher.ts';
import { type RouteContext, getPathParameter, type ApiRoute } from './route.ts';

const streamQuerySchema = z.object({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Number of the last known event. The Last-Event-ID header takes precedence.'),
});

const streamType = 'text/event-stream';

export const streamRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/sessions/stream',
    name: 'watchSessions',
    summary:
      'Server-sent events: `session` with each new or changed session, `removed` with the id of a removed session.',
    responses: { 200: { description: 'The stream.', schema: streamType } },
    handle: (context, routeContext) =>
      openStream(context, routeContext, (client) => streamSessionList(client, routeContext)),
  },
  {
    method: 'get',
    path: '/sessions/{id}/stream',
    name: 'watchSession',
    summary:
      'Server-sent events: `kept` with each stored event and its number as id; `live` with ephemeral events; `holder` when the holder changes. Resumes with Last-Event-ID.',
    query: streamQuerySchema,
    responses: { 200: { description: 'The stream.', schema: streamType } },
    errorStatuses: [404, 410],
    async handle(context, routeContext) {
      const id = getPathParameter(context, 'id');
      const requestedStart = getStreamStart(context);
      // Report a missing session before the stream starts, and ignore a start after the current head.
      const { head } = await routeContext.store.open(id);
      const after = Math.min(requestedStart, head);
      return openStream(context, routeContext, (client) =>
        streamSessionEvents(client, { routeContext, id, after }),
      );
    },
  },
];

function openStream(
  context: Context,
  routeContext: RouteContext,
  pump: (client: StreamClient) => Promise<void>,
): Response {
  const { mask, slowMs, streams } = routeContext;
  return respondWithEventStream(context, { mask, slowMs, onEnd: streams.open() }, pump);
}

function getStreamStart(context: Context): number {
  const last = context.req.header('last-event-id');
  if (last === undefined || last === '') return parseQuery(context, streamQuerySchema).after ?? 0;
  if (/^\d{1,15}$/.test(last)) return Number(last);
  throw new ApiError('bad-request', 'Last-Event-ID must be the number of an event.');
}

/** A new client also receives earlier changes from this period, because they may have happened while it connected. */
const overlapMs = 5_000;

async function streamSessionList(client: StreamClient, { listWatcher, now }: RouteContext): Promise<void> {
  // If a session changes faster than the client reads, only its latest row stays pending.
  const pendingChanges = new Map<string, SessionListChange>();
  let changed = Promise.withResolvers<void>();
  const wake = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  const unsubscribe = listWatcher.subscribe((change) => {
    pendingChanges.set(change.kind === 'changed' ? change.row.id : change.id, change);
    wake();
  }, now() - overlapMs);
  client.signal.addEventListener('abort', wake, { once: true });
  try {
    while (!client.signal.aborted) {
      const nextChange = changed.promise;
      for (const [id, change] of pendingChanges) {
        pendingChanges.delete(id);
        if (!(await client.send(toListMessage(change)))) return;
      }
      if (pendingChanges.size === 0) await nextChange;
    }
  } finally {
    unsubscribe();
  }
}

function toListMessage(change: SessionListChange): { event: string; data: unknown } {
  return change.kind === 'changed'
    ? { event: 'session', data: change.row }
    : { event: 'removed', data: { id: change.id } };
}

/** Text deltas are batched at this interval, which is too short for users to notice. */
const liveMs = 40;

type SessionStreamContext = {
  readonly routeContext: RouteContext;
  readonly id: string;
  readonly after: number;
};

async function streamSessionEvents(
  client: StreamClient,
  { routeContext, id, after }: SessionStreamContext,
): Promise<void> {
  const { store, host, feeds, listWatcher } = routeContext;
  const follower = feeds.follow(id, after);
  let holder: SessionHolder | null = null;
  const send = (event: Event): void => client.offer({ event: 'live', data: event });
  const live = createLiveTextSender({ mask: routeContext.mask, send, intervalMs: liveMs });
  const unsubscribeLive = host.watch(id, (event) => {
    live.observe(event);
    if (!isEphemeralEvent(event)) feeds.pollNow(id);
  });
  const unsubscribe = listWatcher.subscribe((change) => {
    if (change.kind !== 'changed' || change.row.id !== id || change.row.holder === holder) return;
    ({ holder } = change.row);
    client.offer({ event: 'holder', data: { holder } });
  });
  try {
    let last = after;
    while (!client.signal.aborted) {
      for await (const { seq, event } of store.events(id, last)) {
        if (!(await client.send({ event: 'kept', id: seq, data: { seq, event } }))) return;
        last = seq;
      }
      await follower.next(last, client.signal);
    }
  } finally {
    unsubscribeLive();
    live.end();
    unsubscribe();
    follower.close();
  }
}
