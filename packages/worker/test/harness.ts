import { createSession, type Json, type Session, toItemArray } from '@pawl/core';
import { defineTool, type Tool } from '@pawl/runtime';
import { createScriptedModel, type ScriptedReply } from '@pawl/runtime/models';
import type { Store } from '@pawl/runtime/store';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import * as z from 'zod';
import { connectRedis, createRedisStore, createSessionQueue, startWorker } from '../src/index.ts';
import type {
  AgentSetup,
  AgentFactory,
  RunningWorker,
  SessionQueue,
  WorkerOptions,
  WorkerReport,
} from '../src/index.ts';
import type { RedisServer } from './redis-server.ts';

export type WorkerHarness = {
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
  work(agentFactory: AgentFactory, options?: Partial<WorkerOptions>): Promise<RunningWorker>;
  /** Resolves when the session has this status. */
  until(id: string, status: Session['turn']['status']): Promise<Session>;
  close(): Promise<void>;
};

let harnessCount = 0;

/** A store and a queue of their own, on a Redis that others use as well. */
export async function createWorkerHarness(
  server: RedisServer,
  name = `place-${(harnessCount += 1)}-${process.pid}`,
): Promise<WorkerHarness> {
  const { redis: connected, close } = await connectRedis(server.url, { waitMs: Number.POSITIVE_INFINITY });
  const redis = connected as Redis;
  const store = createRedisStore(redis, { prefix: name });
  const queue = createSessionQueue(redis, store, { prefix: name });
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
    async work(agentFactory, options = {}) {
      const worker = await startWorker({
        redis,
        store,
        queue,
        agentFactory,
        prefix: name,
        onReport,
        pollMs: 50,
        // On a busy machine nothing is lost or cut off, unless a test asks for it.
        leaseMs: 600_000,
        graceMs: 60_000,
        ...options,
      });
      workers.push(worker);
      return worker;
    },
    async until(id, status) {
      await expect.poll(async () => (await store.open(id)).session.turn.status).toBe(status);
      return (await store.open(id)).session;
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
      await queue.close();
      await close();
    },
  };
}

/** An outfit for every session alike. */
export function createScriptedFactory(
  replies: readonly ScriptedReply[],
  more: Partial<AgentSetup> = {},
): AgentFactory {
  return async () => ({ model: createScriptedAnswers(replies), tools: [], ...more });
}

/** A model that sees from the conversation how far it is, as real ones do: wherever it is asked, the next reply comes. */
function createScriptedAnswers(replies: readonly ScriptedReply[]): AgentSetup['model'] {
  return {
    name: 'scripted',
    stream(request, signal) {
      const replyCount = toItemArray(request.conversation).filter(({ role }) => role === 'assistant').length;
      return createScriptedModel(replies.slice(replyCount)).stream(request, signal);
    },
  };
}

/** A tool that must not be repeated. */
export function createEffectTool(name: string, run: (args: Json) => Promise<Json>): Tool {
  return defineTool({
    name,
    description: 'Has an effect.',
    parameters: z.looseObject({}),
    effect: 'not-repeatable',
    run: async (args) => ({ ok: true, output: await run(args as Json) }),
  });
}
