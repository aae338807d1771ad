import { isTerminalSession } from '@pawl/core';
import { forkStoredSession, getMetadataText, getMetadataTools, type Store } from '@pawl/runtime';
import {
  createSessionRequestSchema,
  eventsPageSchema,
  eventsQuerySchema,
  forkRequestSchema,
  idResponseSchema,
  listQuerySchema,
  sessionDetailSchema,
  sessionListSchema,
} from '../api/sessions.ts';
import type { EventsPage, ForkRequest, NumberedEvent, SessionDetail } from '../api/index.ts';
import { deriveStableId } from '../hosts/stable-id.ts';
import { toReleasedOwner } from '../hosts/released-owner.ts';
import { nullIfMissing } from '../hosts/local-host.ts';
import { respondWithJson } from '../http/json-response.ts';
import { ApiError } from '../http/api-error.ts';
import { parseJsonBody, parseQuery } from '../http/request-input.ts';
import { findSessionSummary } from '../sessions/find-summary.ts';
import type { RouteContext } from '../route-context.ts';
import { getPathParameter, type ApiRoute } from './route.ts';

export const sessionRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/sessions',
    name: 'listSessions',
    summary: 'The sessions, those last worked on first.',
    query: listQuerySchema,
    responses: { 200: { description: 'A page of them.', schema: sessionListSchema } },
    handle: async (context, { lister, mask }) =>
      respondWithJson(context, mask, await lister.list(parseQuery(context, listQuerySchema))),
  },
  {
    method: 'post',
    path: '/sessions',
    name: 'createSession',
    summary: 'Begins a session and works on it. The same request id again gives the same session.',
    body: { schema: createSessionRequestSchema },
    responses: {
      201: { description: 'It is kept and taken up.', schema: idResponseSchema },
      200: { description: 'It was there already.', schema: idResponseSchema },
    },
    async handle(context, { host, mask }) {
      const { id, isNew } = await host.submit(await parseJsonBody(context, createSessionRequestSchema));
      return respondWithJson(context, mask, { id }, isNew ? 201 : 200);
    },
  },
  {
    method: 'get',
    path: '/sessions/{id}',
    name: 'readSession',
    summary:
      'A session as it was created, with what is known about it now. Its events lead from there to here.',
    responses: { 200: { description: 'The session.', schema: sessionDetailSchema } },
    errorStatuses: [404, 410],
    handle: async (context, site) =>
      respondWithJson(context, site.mask, await readSessionDetail(site, getPathParameter(context, 'id'))),
  },
  {
    method: 'get',
    path: '/sessions/{id}/events',
    name: 'listEvents',
    summary: 'The events of a session with a number above `after`, in order.',
    query: eventsQuerySchema,
    responses: { 200: { description: 'A page of them.', schema: eventsPageSchema } },
    errorStatuses: [404, 410],
    async handle(context, { store, mask }) {
      const { after, limit } = parseQuery(context, eventsQuerySchema);
      return respondWithJson(
        context,
        mask,
        await readEventsPage(store, getPathParameter(context, 'id'), after, limit),
      );
    },
  },
  {
    method: 'post',
    path: '/sessions/{id}/fork',
    name: 'forkSession',
    summary:
      'Makes a session that shares the past of this one up to an event. It stands still until it is spoken to.',
    body: { schema: forkRequestSchema },
    responses: {
      201: { description: 'It is made.', schema: idResponseSchema },
      200: { description: 'It was there already.', schema: idResponseSchema },
    },
    errorStatuses: [404, 409],
    async handle(context, site) {
      const asked = await parseJsonBody(context, forkRequestSchema);
      const { id, isNew } = await createFork(site, getPathParameter(context, 'id'), asked);
      return respondWithJson(context, site.mask, { id }, isNew ? 201 : 200);
    },
  },
];

async function readSessionDetail(site: RouteContext, id: string): Promise<SessionDetail> {
  const { store, lister, host, feedback } = site;
  const [{ session: created }, opened] = await Promise.all([store.open(id, { at: 0 }), store.open(id)]);
  const row = await lister.toListItem(await findSessionSummary(store, id));
  const why = host.getDisabledReason({ metadata: opened.metadata, status: row.status });
  const tools = getMetadataTools(opened.metadata);
  return {
    ...row,
    created,
    prompt: getMetadataText(opened.metadata, 'prompt'),
    tools: tools === null ? null : tools.map((tool) => ({ ...tool })),
    controllable: why === null,
    why: why ?? host.getLastError(id),
    marks: [...(await feedback.list(id))],
  };
}

async function readEventsPage(store: Store, id: string, after: number, limit: number): Promise<EventsPage> {
  const { head } = await findSessionSummary(store, id);
  const events: NumberedEvent[] = [];
  for await (const { seq, event } of store.events(id, after)) {
    events.push({ seq, event });
    if (events.length === limit) break;
  }
  const last = events.at(-1)?.seq ?? after;
  return { events, head: Math.max(head, last), more: last < head };
}

async function createFork(
  { store, owner, now }: RouteContext,
  id: string,
  { at, requestId }: ForkRequest,
): Promise<{ id: string; isNew: boolean }> {
  const { head } = await store.open(id);
  if (at > head) {
    throw new ApiError(
      'bad-request',
      `body.at: the session has ${head} events, and ${at} is beyond its end.`,
    );
  }
  const { session } = await store.open(id, { at });
  if (isTerminalSession(session)) {
    throw new ApiError(
      'conflict',
      `After event ${at} the session has ended: nothing can go on from there.`,
      'Take an earlier event.',
    );
  }
  const newId = requestId === undefined ? crypto.randomUUID() : deriveStableId('fork', id, requestId);
  const before = requestId === undefined ? null : await store.open(newId).catch(nullIfMissing);
  if (before === null) {
    await forkStoredSession(store, id, { at, newId, owner: toReleasedOwner(owner), now: now() });
    return { id: newId, isNew: true };
  }
  if (before.parent?.at === at) return { id: newId, isNew: false };
  throw new ApiError(
    'conflict',
    'Under this request id it was forked after another event.',
    'Use a new one.',
  );
}
