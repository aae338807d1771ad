import { createSession, toArray, type Json, type Session } from '@pawl/core';
import { createScripted, defineTool, type ScriptedReply, type Store, type Tool } from '@pawl/runtime';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { connectRedis, redisStore, sessionQueue, startWorker } from '../src/index.ts';
import type {
  Outfit,
  OutfitFor,
  RunningWorker,
  SessionQueue,
  WorkerOptions,
  WorkerReport,
} from '../src/index.ts';
import type { RedisServer } from './redis-server.ts';

export type Place = {
  readonly redis: Redis;
  readonly store: Store;
  readonly queue: SessionQueue;
  readonly prefix: string;
  submit(
    id: string,
    goal?: string,
    options?: Partial<Parameters<SessionQueue['submit']>[2]>,
  ): Promise<Session>;
  /** What was reported so far, by all workers. */
  readonly reports: WorkerReport[];
  work(outfitFor: OutfitFor, options?: Partial<WorkerOptions>): Promise<RunningWorker>;
  /** Resolves when the session has this status. */
  until(id: string, status: Session['turn']['status']): Promise<Session>;
  close(): Promise<void>;
};

let places = 0;

/** A store and a queue of their own, on a Redis that others use as well. */
export async function placeOn(
  server: RedisServer,
  name = `place-${(places += 1)}-${process.pid}`,
): Promise<Place> {
  const { redis: connected, close } = await connectRedis(server.url, { waitMs: Number.POSITIVE_INFINITY });
  const redis = connected as Redis;
  const store = redisStore(redis, { prefix: name });
  const queue = sessionQueue(redis, store, { prefix: name });
  const workers: RunningWorker[] = [];
  const reports: WorkerReport[] = [];
  const onReport = (report: WorkerReport): void => void reports.push(report);
  return {
    redis,
    store,
    queue,
    prefix: name,
    reports,
    async submit(id, goal = 'Do it.', options = {}) {
      const session = createSession({
        id,
        at: Date.now(),
        settings: { governor: { preset: 'none', rules: {} } },
      });
      await queue.submit(session, goal, { owner: 'test', now: Date.now(), ...options });
      return session;
    },
    async work(outfitFor, options = {}) {
      const all = { redis, store, queue, outfitFor, prefix: name, onReport, pollMs: 50, ...options };
      const worker = await startWorker(all);
      workers.push(worker);
      return worker;
    },
    async until(id, status) {
      for (;;) {
        const { session } = await store.open(id);
        if (session.turn.status === status) return session;
        await sleep(20);
      }
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
      await queue.close();
      await close();
    },
  };
}

/** An outfit for every session alike. */
export function outfit(replies: readonly ScriptedReply[], more: Partial<Outfit> = {}): OutfitFor {
  return async () => ({ model: answering(replies), tools: [], ...more });
}

/** A model that sees from the conversation how far it is, as real ones do: wherever it is asked, the next reply comes. */
function answering(replies: readonly ScriptedReply[]): Outfit['model'] {
  return {
    name: 'scripted',
    stream(request, signal) {
      const said = toArray(request.conversation).filter(({ role }) => role === 'assistant').length;
      return createScripted(replies.slice(said)).stream(request, signal);
    },
  };
}

/** A tool that must not be repeated. */
export function effect(name: string, run: (args: Json) => Promise<Json>): Tool {
  return defineTool({
    name,
    description: 'Has an effect.',
    parameters: z.looseObject({}),
    effect: 'not-repeatable',
    run: async (args) => ({ ok: true, output: await run(args as Json) }),
  });
}
