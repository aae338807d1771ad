import { setTimeout as sleep } from 'node:timers/promises';
import { createSession } from '@pawl/core';
import { connectRedis, redisStore, sessionQueue, type SessionQueue } from '@pawl/worker';
import type { Store } from '@pawl/runtime';
import type { Queue } from 'bullmq';
import { goal } from '../durable/work.ts';

type RedisClient = Awaited<ReturnType<typeof connectRedis>>['redis'];

/** A store and a queue of their own. */
export type BenchPlace = {
  readonly redis: RedisClient;
  readonly store: Store;
  readonly queue: SessionQueue;
  readonly prefix: string;
  submit(name: string, count: number, tenant?: string): Promise<void>;
  close(): Promise<void>;
};

let places = 0;

export async function openPlace(url: string): Promise<BenchPlace> {
  const prefix = `bench-${(places += 1)}-${process.pid}`;
  const { redis, close } = await connectRedis(url);
  const store = redisStore(redis, { prefix });
  const queue = sessionQueue(redis, store, { prefix });
  return {
    redis,
    store,
    queue,
    prefix,
    async submit(name, count, tenant = 'default') {
      const ids = Array.from({ length: count }, (_, index) => `${name}-${index}`);
      for (let from = 0; from < count; from += atOnce) {
        const some = ids.slice(from, from + atOnce);
        await Promise.all(some.map((id) => submitOne(queue, id, tenant)));
      }
    },
    async close() {
      await queue.close();
      await close();
    },
  };
}

const atOnce = 50;

async function submitOne(queue: SessionQueue, id: string, tenant: string): Promise<void> {
  const now = Date.now();
  await queue.submit(createSession({ id, at: now }), goal, { owner: 'bench', now, tenant });
}

/** How often it is looked whether all is done: little beside what is measured. */
const lookMs = 10;

/** Resolves when nothing is left to do in a queue. */
export async function emptied(queue: Pick<Queue, 'getJobCounts'>): Promise<void> {
  for (;;) {
    const counts = await queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active');
    if (Object.values(counts).every((count) => count === 0)) return;
    await sleep(lookMs);
  }
}
