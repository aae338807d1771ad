import { isTerminal } from '@pawl/core';
import { fork, textAbout, toolsAbout, type Store } from '@pawl/runtime';
import {
  createSessionSchema,
  eventsPageSchema,
  eventsQuerySchema,
  forkSchema,
  idAnswerSchema,
  listQuerySchema,
  sessionDetailSchema,
  sessionListSchema,
} from '../api/sessions.ts';
import type { EventsPage, Fork, KeptEvent, SessionDetail } from '../api/index.ts';
import { idFor } from '../hosts/ids.ts';
import { letGo } from '../hosts/let-go.ts';
import { missing } from '../hosts/local-host.ts';
import { answerJson } from '../http/answer.ts';
import { ApiError } from '../http/api-error.ts';
import { bodyAs, queryAs } from '../http/body.ts';
import { summaryOf } from '../sessions/summary.ts';
import type { Site } from '../site.ts';
import { part, type Route } from './route.ts';

export const sessionRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/sessions',
    name: 'listSessions',
    summary: 'The sessions, those last worked on first.',
    query: listQuerySchema,
    answers: { 200: { what: 'A page of them.', schema: sessionListSchema } },
    handle: async (context, { rows, mask }) =>
      answerJson(context, mask, await rows.list(queryAs(context, listQuerySchema))),
  },
  {
    method: 'post',
    path: '/sessions',
    name: 'createSession',
    summary: 'Begins a session and works on it. The same request id again gives the same session.',
    body: { schema: createSessionSchema },
    answers: {
      201: { what: 'It is kept and taken up.', schema: idAnswerSchema },
      200: { what: 'It was there already.', schema: idAnswerSchema },
    },
    async handle(context, { host, mask }) {
      const { id, isNew } = await host.submit(await bodyAs(context, createSessionSchema));
      return answerJson(context, mask, { id }, isNew ? 201 : 200);
    },
  },
  {
    method: 'get',
    path: '/sessions/{id}',
    name: 'readSession',
    summary:
      'A session as it was created, with what is known about it now. Its events lead from there to here.',
    answers: { 200: { what: 'The session.', schema: sessionDetailSchema } },
    fails: [404, 410],
    handle: async (context, site) =>
      answerJson(context, site.mask, await detailOf(site, part(context, 'id'))),
  },
  {
    method: 'get',
    path: '/sessions/{id}/events',
    name: 'listEvents',
    summary: 'The events of a session with a number above `after`, in order.',
    query: eventsQuerySchema,
    answers: { 200: { what: 'A page of them.', schema: eventsPageSchema } },
    fails: [404, 410],
    async handle(context, { store, mask }) {
      const { after, limit } = queryAs(context, eventsQuerySchema);
      return answerJson(context, mask, await eventsOf(store, part(context, 'id'), after, limit));
    },
  },
  {
    method: 'post',
    path: '/sessions/{id}/fork',
    name: 'forkSession',
    summary:
      'Makes a session that shares the past of this one up to an event. It stands still until it is spoken to.',
    body: { schema: forkSchema },
    answers: {
      201: { what: 'It is made.', schema: idAnswerSchema },
      200: { what: 'It was there already.', schema: idAnswerSchema },
    },
    fails: [404, 409],
    async handle(context, site) {
      const asked = await bodyAs(context, forkSchema);
      const { id, isNew } = await forked(site, part(context, 'id'), asked);
      return answerJson(context, site.mask, { id }, isNew ? 201 : 200);
    },
  },
];

async function detailOf(site: Site, id: string): Promise<SessionDetail> {
  const { store, rows, host, marks } = site;
  const [{ session: created }, opened] = await Promise.all([store.open(id, { at: 0 }), store.open(id)]);
  const row = await rows.rowOf(await summaryOf(store, id));
  const why = host.whyNot({ about: opened.about, status: row.status });
  const tools = toolsAbout(opened.about);
  return {
    ...row,
    created,
    prompt: textAbout(opened.about, 'prompt'),
    tools: tools === null ? null : tools.map((tool) => ({ ...tool })),
    controllable: why === null,
    why: why ?? host.troubleOf(id),
    marks: [...(await marks.of(id))],
  };
}

async function eventsOf(store: Store, id: string, after: number, limit: number): Promise<EventsPage> {
  const { head } = await summaryOf(store, id);
  const events: KeptEvent[] = [];
  for await (const { seq, event } of store.events(id, after)) {
    events.push({ seq, event });
    if (events.length === limit) break;
  }
  const last = events.at(-1)?.seq ?? after;
  return { events, head: Math.max(head, last), more: last < head };
}

async function forked(
  { store, owner, now }: Site,
  id: string,
  { at, requestId }: Fork,
): Promise<{ id: string; isNew: boolean }> {
  const { head } = await store.open(id);
  if (at > head) {
    throw new ApiError(
      'bad-request',
      `body.at: the session has ${head} events, and ${at} is beyond its end.`,
    );
  }
  const { session } = await store.open(id, { at });
  if (isTerminal(session)) {
    throw new ApiError(
      'conflict',
      `After event ${at} the session has ended: nothing can go on from there.`,
      'Take an earlier event.',
    );
  }
  const as = requestId === undefined ? crypto.randomUUID() : idFor('fork', id, requestId);
  const before = requestId === undefined ? null : await store.open(as).catch(missing);
  if (before === null) {
    await fork(store, id, { at, as, owner: letGo(owner), now: now() });
    return { id: as, isNew: true };
  }
  if (before.parent?.at === at) return { id: as, isNew: false };
  throw new ApiError(
    'conflict',
    'Under this request id it was forked after another event.',
    'Use a new one.',
  );
}
