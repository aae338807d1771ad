import { setTimeout as sleep } from 'node:timers/promises';
import { createSession } from '@pawl/core';
import type { Store } from '@pawl/runtime/store';
import { connectRedis, createRedisStore, createSessionQueue, type SessionQueue } from '@pawl/worker';
import type { Queue } from 'bullmq';
import { benchGoal } from '../durable/bench-session.ts';

type BenchRedisClient = Awaited<ReturnType<typeof connectRedis>>['redis'];

/** A separate store and queue. */
export type BenchEnvironment = {
  readonly redis: BenchRedisClient;
  readonly store: Store;
  readonly queue: SessionQueue;
  readonly prefix: string;
  submit(name: string, count: number, tenant?: string): Promise<void>;
  close(): Promise<void>;
};

let environmentCount = 0;

export async function openBenchEnvironment(url: string): Promise<BenchEnvironment> {
  const prefix = `bench-${(environmentCount += 1)}-${process.pid}`;
  const { redis, close } = await connectRedis(url);
  const store = createRedisStore(redis, { prefix });
  const queue = createSessionQueue(redis, store, { prefix });
  return {
    redis,
    store,
    queue,
    prefix,
    async submit(name, count, tenant = 'default') {
      const ids = Array.from({ length: count }, (_, index) => `${name}-${index}`);
      for (let from = 0; from < count; from += submitBatchSize) {
        const some = ids.slice(from, from + submitBatchSize);
        await Promise.all(some.map((id) => submitBenchSession(queue, id, tenant)));
      }
    },
    async close() {
      await queue.close();
      await close();
    },
  };
}

const submitBatchSize = 50;

async function submitBenchSession(queue: SessionQueue, id: string, tenant: string): Promise<void> {
  const now = Date.now();
  await queue.submit(createSession({ id, at: now }), benchGoal, { owner: 'bench', now, tenant });
}

/** Polling interval, negligible compared to the measured times. */
const drainPollMs = 10;

/** Resolves when the queue has no jobs left. */
export async function waitUntilDrained(queue: Pick<Queue, 'getJobCounts'>): Promise<void> {
  for (;;) {
    const counts = await queue.getJobCounts('waiting', 'prioritized', 'delayed', 'active');
    if (Object.values(counts).every((count) => count === 0)) return;
    await sleep(drainPollMs);
  }
}
