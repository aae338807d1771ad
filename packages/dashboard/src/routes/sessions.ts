import { isClosedSession } from '@pawl/core';
import { forkStoredSession } from '@pawl/runtime/logs';
import {
  getMetadataText,
  getMetadataTools,
  StoreError,
  type SessionSummary,
  type Store,
} from '@pawl/runtime/store';
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
import { deriveStableId, nullIfMissing, toReleasedOwner } from '../hosts/session-host.ts';
import { respondWithJson } from '../http/json-response.ts';
import { ApiError } from '../http/api-error.ts';
import { parseJsonBody, parseQuery } from '../http/request-input.ts';
import { type RouteContext, getPathParameter, type ApiRoute } from './route.ts';

export const sessionRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/sessions',
    name: 'listSessions',
    summary: 'List sessions, most recently updated first.',
    query: listQuerySchema,
    responses: { 200: { description: 'One page.', schema: sessionListSchema } },
    handle: async (context, { lister, mask }) =>
      respondWithJson(context, mask, await lister.list(parseQuery(context, listQuerySchema))),
  },
  {
    method: 'post',
    path: '/sessions',
    name: 'createSession',
    summary: 'Create and start a session. Repeating the request id returns the same session.',
    body: { schema: createSessionRequestSchema },
    responses: {
      201: { description: 'The session is created and started.', schema: idResponseSchema },
      200: { description: 'The session already exists.', schema: idResponseSchema },
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
      'Get a session: its initial state and its current summary. Replay its events to get any state in between.',
    responses: { 200: { description: 'The session.', schema: sessionDetailSchema } },
    errorStatuses: [404, 410],
    handle: async (context, routeContext) =>
      respondWithJson(
        context,
        routeContext.mask,
        await readSessionDetail(routeContext, getPathParameter(context, 'id')),
      ),
  },
  {
    method: 'get',
    path: '/sessions/{id}/events',
    name: 'listEvents',
    summary: 'List the events of a session after number `after`, in order.',
    query: eventsQuerySchema,
    responses: { 200: { description: 'One page.', schema: eventsPageSchema } },
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
    summary: 'Fork a session at an event. The fork stays idle until it receives a command.',
    body: { schema: forkRequestSchema },
    responses: {
      201: { description: 'The fork is created.', schema: idResponseSchema },
      200: { description: 'The session already exists.', schema: idResponseSchema },
    },
    errorStatuses: [404, 409],
    async handle(context, routeContext) {
      const request = await parseJsonBody(context, forkRequestSchema);
      const { id, isNew } = await createFork(routeContext, getPathParameter(context, 'id'), request);
      return respondWithJson(context, routeContext.mask, { id }, isNew ? 201 : 200);
    },
  },
];

async function readSessionDetail(routeContext: RouteContext, id: string): Promise<SessionDetail> {
  const { store, lister, host, feedback } = routeContext;
  const [{ session: created }, opened] = await Promise.all([store.open(id, { at: 0 }), store.open(id)]);
  const item = await lister.toListItem(await findSessionSummary(store, id));
  const disabledReason = host.getDisabledReason({
    metadata: opened.metadata,
    isClosed: item.status === 'damaged' || isClosedSession(opened.session),
  });
  const tools = getMetadataTools(opened.metadata);
  return {
    ...item,
    created,
    prompt: getMetadataText(opened.metadata, 'prompt'),
    tools: tools === null ? null : tools.map((tool) => ({ ...tool })),
    controllable: disabledReason === null,
    why: disabledReason ?? host.getLastError(id),
    marks: [...(await feedback.list(id))],
  };
}

async function findSessionSummary(store: Store, id: string): Promise<SessionSummary> {
  const all = await store.list({ limit: Number.MAX_SAFE_INTEGER });
  const found = all.find((each) => each.id === id);
  if (found !== undefined) return found;
  throw new StoreError('missing', `session ${JSON.stringify(id.slice(0, 200))}`);
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
    throw new ApiError('bad-request', `body.at: ${at} is out of range; the session has ${head} events.`);
  }
  const { session } = await store.open(id, { at });
  if (isClosedSession(session)) {
    throw new ApiError(
      'conflict',
      `The session is closed after event ${at} and cannot be continued from there.`,
      'Fork at an earlier event.',
    );
  }
  const newId = requestId === undefined ? crypto.randomUUID() : deriveStableId('fork', id, requestId);
  const existing = requestId === undefined ? null : await store.open(newId).catch(nullIfMissing);
  if (existing === null) {
    await forkStoredSession(store, id, { at, newId, owner: toReleasedOwner(owner), now: now() });
    return { id: newId, isNew: true };
  }
  if (existing.parent?.at === at) return { id: newId, isNew: false };
  throw new ApiError(
    'conflict',
    'This request id was already used for a fork at another event.',
    'Use a new request id.',
  );
}
