import { isEphemeral, type Event } from '@pawl/core';
import type { Context } from 'hono';
import * as z from 'zod';
import type { Holder } from '../api/index.ts';
import { ApiError } from '../http/api-error.ts';
import { queryAs } from '../http/body.ts';
import { eventStream, type Reader } from '../http/event-stream.ts';
import { createLiveText } from '../sessions/live-text.ts';
import type { RowChange } from '../sessions/row-watch.ts';
import type { Site } from '../site.ts';
import { part, type Route } from './route.ts';

const afterSchema = z.object({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('The last event that is known; the header Last-Event-ID says the same and comes first.'),
});

const streamType = 'text/event-stream';

export const streamRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/sessions/stream',
    name: 'watchSessions',
    summary:
      'Server-sent events: `session` with a row for each session that is new or has changed, `removed` with the id of one that is gone.',
    answers: { 200: { what: 'The stream.', schema: streamType } },
    handle: (context, site) => open(context, site, (reader) => tellRows(reader, site)),
  },
  {
    method: 'get',
    path: '/sessions/{id}/stream',
    name: 'watchSession',
    summary:
      'Server-sent events: `kept` with each event of the log, its number as id; `live` with what is shown and never kept; `holder` when somebody else has the session. Resumes by Last-Event-ID.',
    query: afterSchema,
    answers: { 200: { what: 'The stream.', schema: streamType } },
    fails: [404, 410],
    async handle(context, site) {
      const id = part(context, 'id');
      const asked = startOf(context);
      // A missing session is reported before the stream begins, and an event that does not exist yet is nobody's last.
      const { head } = await site.store.open(id);
      const after = Math.min(asked, head);
      return open(context, site, (reader) => tellEvents(reader, { site, id, after }));
    },
  },
];

function open(context: Context, site: Site, pump: (reader: Reader) => Promise<void>): Response {
  const { mask, slowMs, streams } = site;
  return eventStream(context, { mask, slowMs, onEnd: streams.open() }, pump);
}

function startOf(context: Context): number {
  const last = context.req.header('last-event-id');
  if (last === undefined || last === '') return queryAs(context, afterSchema).after ?? 0;
  if (/^\d{1,15}$/.test(last)) return Number(last);
  throw new ApiError('bad-request', 'Last-Event-ID has to be the number of an event.');
}

/** How far back a new reader is told of changes: they may have happened while it was connecting. */
const overlapMs = 5_000;

async function tellRows(reader: Reader, { rowWatch, now }: Site): Promise<void> {
  // Of a session that changes faster than the reader reads, only the latest row waits.
  const waiting = new Map<string, RowChange>();
  let bell = Promise.withResolvers<void>();
  const ring = (): void => {
    bell.resolve();
    bell = Promise.withResolvers<void>();
  };
  const stop = rowWatch.subscribe((change) => {
    waiting.set(change.kind === 'changed' ? change.row.id : change.id, change);
    ring();
  }, now() - overlapMs);
  reader.gone.addEventListener('abort', ring, { once: true });
  try {
    while (!reader.gone.aborted) {
      const rung = bell.promise;
      for (const [id, change] of waiting) {
        waiting.delete(id);
        if (!(await reader.send(messageOf(change)))) return;
      }
      if (waiting.size === 0) await rung;
    }
  } finally {
    stop();
  }
}

function messageOf(change: RowChange): { event: string; data: unknown } {
  return change.kind === 'changed'
    ? { event: 'session', data: change.row }
    : { event: 'removed', data: { id: change.id } };
}

/** Words that come one by one are sent together, as often as anybody can tell apart. */
const liveMs = 40;

type Followed = { readonly site: Site; readonly id: string; readonly after: number };

async function tellEvents(reader: Reader, { site, id, after }: Followed): Promise<void> {
  const { store, host, feeds, rowWatch } = site;
  const follower = feeds.follow(id, after);
  let holder: Holder | null = null;
  const send = (event: Event): void => reader.offer({ event: 'live', data: event });
  const live = createLiveText({ mask: site.mask, send, everyMs: liveMs });
  const unwatch = host.watch(id, (event) => {
    live.see(event);
    if (!isEphemeral(event)) feeds.poke(id);
  });
  const stop = rowWatch.subscribe((change) => {
    if (change.kind !== 'changed' || change.row.id !== id || change.row.holder === holder) return;
    ({ holder } = change.row);
    reader.offer({ event: 'holder', data: { holder } });
  });
  try {
    let last = after;
    while (!reader.gone.aborted) {
      for await (const { seq, event } of store.events(id, last)) {
        if (!(await reader.send({ event: 'kept', id: seq, data: { seq, event } }))) return;
        last = seq;
      }
      await follower.next(last, reader.gone);
    }
  } finally {
    unwatch();
    live.end();
    stop();
    follower.close();
  }
}
