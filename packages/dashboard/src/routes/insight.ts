import { isAskModelAction } from '@pawl/core/turn';
import { getConversation, toItemArray, type Session } from '@pawl/core';
import {
  addEventTotals,
  countTotalTokens,
  emptyTotals,
  type ReplayedStep,
  type SessionTotals,
} from '@pawl/core/projections';
import { replaySteps } from '@pawl/runtime/logs';
import { buildModelRequest } from '@pawl/runtime/models';
import { findManifest, getOwnerState, type Store } from '@pawl/runtime/store';
import {
  fleetStatusSchema,
  healthSchema,
  memoryQuerySchema,
  storedMemorySchema,
  promptQuerySchema,
  modelPromptSchema,
} from '../api/insight.ts';
import type { FleetStatus, StoredMemory, ModelPrompt } from '../api/index.ts';
import { ApiError } from '../http/api-error.ts';
import { respondWithJson } from '../http/json-response.ts';
import { parseQuery } from '../http/request-input.ts';
import { getPathParameter, type RouteContext, type ApiRoute } from './route.ts';
import { endedStatuses, waitingForPersonStatuses } from '../hosts/session-host.ts';

export const insightRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/sessions/{id}/prompt',
    name: 'readPrompt',
    summary: 'Get the exact model request that an event caused.',
    query: promptQuerySchema,
    responses: { 200: { description: 'The prompt.', schema: modelPromptSchema } },
    errorStatuses: [404],
    async handle(context, { store, mask }) {
      const { at } = parseQuery(context, promptQuerySchema);
      return respondWithJson(
        context,
        mask,
        await readModelPrompt(store, getPathParameter(context, 'id'), at),
      );
    },
  },
  {
    method: 'get',
    path: '/sessions/{id}/memory',
    name: 'searchMemory',
    summary: 'Search memory entries in storage; without a query, list them.',
    query: memoryQuerySchema,
    responses: { 200: { description: 'The matching entries.', schema: storedMemorySchema } },
    errorStatuses: [404],
    async handle(context, routeContext) {
      const { q, limit } = parseQuery(context, memoryQuerySchema);
      return respondWithJson(
        context,
        routeContext.mask,
        await readStoredMemory(routeContext, getPathParameter(context, 'id'), q, limit),
      );
    },
  },
  {
    method: 'get',
    path: '/fleet',
    name: 'readFleet',
    summary: 'Get the store, workers, queues, leases and activity rates.',
    responses: { 200: { description: 'The fleet status.', schema: fleetStatusSchema } },
    handle: async (context, routeContext) =>
      respondWithJson(context, routeContext.mask, await readFleetStatus(routeContext)),
  },
  {
    method: 'get',
    path: '/health',
    name: 'readHealth',
    summary: 'Check whether the server and its store respond.',
    responses: { 200: { description: 'Both respond.', schema: healthSchema } },
    errorStatuses: [503],
    async handle(context, { store, mask, version, now }) {
      await store.list({ limit: 1 });
      return respondWithJson(context, mask, { ok: true, version, now: now() });
    },
  },
];

async function readStoredMemory(
  { store, ...routeContext }: RouteContext,
  id: string,
  q: string,
  limit: number,
): Promise<StoredMemory> {
  const { metadata } = await store.open(id);
  const storage = await routeContext.openStorage(metadata);
  if (storage === null) return { entries: [] };
  try {
    const stored = q.trim() === '' ? storage.list({ limit }) : storage.search({ tags: [], text: q, limit });
    const entries = (await stored).map(({ key, value, savedAt }) => ({
      key,
      value,
      size: (typeof value === 'string' ? value : JSON.stringify(value)).length,
      at: savedAt,
    }));
    return { entries };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ApiError(
      'unavailable',
      `The storage of this session cannot be read: ${reason}`,
      undefined,
      error,
    );
  } finally {
    await storage.close();
  }
}

async function readFleetStatus({ store, host, now }: RouteContext): Promise<FleetStatus> {
  const [hostStatus, sessions] = await Promise.all([host.fleet(), store.list({ limit: fleetSessionsMax })]);
  const running = sessions.filter(
    ({ status }) => !endedStatuses.has(status) && !waitingForPersonStatuses.has(status),
  );
  return {
    ...hostStatus,
    leases: running.map(({ id, owner }) => ({ session: id, owner, state: getOwnerState(owner) })),
    rates: await computeActivityRates(store, sessions, now()),
  };
}

const fleetSessionsMax = 1_000;
const rateWindowMs = 5 * 60 * 1_000;
/** Only the latest events of the most recent sessions are counted. */
const rateLimits = { sessions: 50, events: 1_000 } as const;

type RecentSession = { readonly id: string; readonly head: number; readonly updatedAt: number };

async function countActivity(
  events: ReturnType<Store['events']>,
  since: number,
  start: SessionTotals,
): Promise<SessionTotals> {
  let totals = start;
  for await (const { event } of events) if (event.at >= since) totals = addEventTotals(totals, event);
  return totals;
}

/** Computes the average activity per minute over the last few minutes. */
async function computeActivityRates(
  store: Store,
  sessions: readonly RecentSession[],
  now: number,
): Promise<FleetStatus['rates']> {
  let sum = emptyTotals;
  const since = now - rateWindowMs;
  const recent = sessions.filter(({ updatedAt }) => updatedAt >= since).slice(0, rateLimits.sessions);
  for (const { id, head } of recent) {
    const latest = store.events(id, Math.max(0, head - rateLimits.events));
    const start = sum;
    // A session that cannot be read is skipped.
    sum = await countActivity(latest, since, start).catch(() => start);
  }
  const minutes = rateWindowMs / 60_000;
  return {
    events: sum.events / minutes,
    modelCalls: sum.replies / minutes,
    toolCalls: sum.toolCalls / minutes,
    tokens: countTotalTokens(sum) / minutes,
  };
}

/** Rebuilds the exact model request that an event caused. */
async function readModelPrompt(store: Store, id: string, at: number): Promise<ModelPrompt> {
  const { metadata, session: created } = await store.open(id, { at: 0 });
  const { prompt, tools } = findManifest(metadata, at);
  let dropped = 0;
  for await (const replayed of replaySteps(created, store.events(id))) {
    dropped += countDroppedMessages(replayed);
    if (replayed.seq < at) continue;
    const action = replayed.after.actions.find(isAskModelAction);
    if (action === undefined) break;
    const options = { prompt: prompt ?? '', tools: tools ?? [], at: replayed.event.at };
    const request = buildModelRequest(action, replayed.after.session, options);
    return {
      seq: at,
      request: action.request,
      attempt: action.attempt,
      system: request.system,
      tools: request.tools.map((tool) => ({ ...tool })),
      messages: [...toItemArray(request.conversation)],
      injected: { advice: request.advice, state: request.state },
      dropped,
      missing: [
        ...(prompt === null ? (['prompt'] as const) : []),
        ...(tools === null ? (['tools'] as const) : []),
      ],
    };
  }
  throw new ApiError(
    'not-found',
    `Event ${at} caused no model request.`,
    'Use an event whose actions include ask-model.',
  );
}

/** Counts the messages that an event removed from the conversation. */
function countDroppedMessages({ before, after }: ReplayedStep): number {
  return Math.max(0, countMessages(before) - countMessages(after.session));
}

function countMessages(session: Session): number {
  return getConversation(session).length;
}
