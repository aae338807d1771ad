import { usageOf } from '@pawl/core';
import { ownerState, type Store } from '@pawl/runtime';
import { fleetSchema } from '../api/fleet.ts';
import type { Fleet, Shelf } from '../api/index.ts';
import { healthSchema, memoryQuerySchema, memorySchema } from '../api/memory.ts';
import { promptQuerySchema, promptSchema } from '../api/prompt.ts';
import { answerJson } from '../http/answer.ts';
import { ApiError } from '../http/api-error.ts';
import { queryAs } from '../http/body.ts';
import { promptAt } from '../sessions/prompt.ts';
import { overStatuses, quietStatuses } from '../sessions/statuses.ts';
import type { Site } from '../site.ts';
import { part, type Route } from './route.ts';

export const insightRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/sessions/{id}/prompt',
    name: 'readPrompt',
    summary: 'What the model was sent because of an event, to the letter.',
    query: promptQuerySchema,
    answers: { 200: { what: 'The prompt.', schema: promptSchema } },
    fails: [404],
    async handle(context, { store, mask }) {
      const { at } = queryAs(context, promptQuerySchema);
      return answerJson(context, mask, await promptAt(store, part(context, 'id'), at));
    },
  },
  {
    method: 'get',
    path: '/sessions/{id}/memory',
    name: 'searchMemory',
    summary: 'Finds entries in storage by words in them; without words, lists them.',
    query: memoryQuerySchema,
    answers: { 200: { what: 'What was found.', schema: memorySchema } },
    fails: [404],
    async handle(context, site) {
      const { q, limit } = queryAs(context, memoryQuerySchema);
      return answerJson(context, site.mask, await shelfOf(site, part(context, 'id'), q, limit));
    },
  },
  {
    method: 'get',
    path: '/fleet',
    name: 'readFleet',
    summary: 'Where sessions are kept, who works on them, what waits, and how much is done.',
    answers: { 200: { what: 'The fleet.', schema: fleetSchema } },
    handle: async (context, site) => answerJson(context, site.mask, await fleetOf(site)),
  },
  {
    method: 'get',
    path: '/health',
    name: 'readHealth',
    summary: 'Whether the server and its store answer.',
    answers: { 200: { what: 'They do.', schema: healthSchema } },
    fails: [503],
    async handle(context, { store, mask, version, now }) {
      await store.list({ limit: 1 });
      return answerJson(context, mask, { ok: true, version, now: now() });
    },
  },
];

async function shelfOf({ store, ...site }: Site, id: string, q: string, limit: number): Promise<Shelf> {
  const { about } = await store.open(id);
  const storage = await site.shelfOf(about);
  if (storage === null) return { entries: [] };
  try {
    const found = q.trim() === '' ? storage.list({ limit }) : storage.search({ tags: [], text: q, limit });
    const entries = (await found).map(({ key, value, savedAt }) => ({
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

async function fleetOf({ store, host, now }: Site): Promise<Fleet> {
  const [here, all] = await Promise.all([host.fleet(), store.list({ limit: listedMax })]);
  const atWork = all.filter(({ status }) => !overStatuses.has(status) && !quietStatuses.has(status));
  return {
    ...here,
    leases: atWork.map(({ id, owner }) => ({ session: id, owner, state: ownerState(owner) })),
    rates: await ratesOf(store, all, now()),
  };
}

const listedMax = 1_000;
const spanMs = 5 * 60 * 1_000;
/** Only the latest events of the latest sessions are counted. */
const countedMax = { sessions: 50, events: 1_000 } as const;

type Recent = { readonly id: string; readonly head: number; readonly updatedAt: number };

type Sum = { events: number; modelCalls: number; toolCalls: number; tokens: number };

async function count(kept: ReturnType<Store['events']>, since: number, sum: Sum): Promise<void> {
  for await (const { event } of kept) {
    if (event.at < since) continue;
    sum.events += 1;
    if (event.type === 'tool-finished') sum.toolCalls += 1;
    if (event.type === 'model-replied') sum.modelCalls += 1;
    const usage = usageOf(event);
    sum.tokens += (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  }
}

/** What was done in the last minutes, as an average for one minute. */
async function ratesOf(store: Store, all: readonly Recent[], now: number): Promise<Fleet['rates']> {
  const sum: Sum = { events: 0, modelCalls: 0, toolCalls: 0, tokens: 0 };
  const since = now - spanMs;
  const recent = all.filter(({ updatedAt }) => updatedAt >= since).slice(0, countedMax.sessions);
  for (const { id, head } of recent) {
    const latest = store.events(id, Math.max(0, head - countedMax.events));
    // One that cannot be read counts for nothing.
    await count(latest, since, sum).catch(() => undefined);
  }
  const minutes = spanMs / 60_000;
  return {
    events: sum.events / minutes,
    modelCalls: sum.modelCalls / minutes,
    toolCalls: sum.toolCalls / minutes,
    tokens: sum.tokens / minutes,
  };
}
