import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { connectRedis, redisStore, sessionQueue, startWorker } from '@pawl/worker';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { outfitOf } from './work.ts';
import type { ChildPlan } from './workers.ts';

/** One worker, as a process of its own. Says when it is ready; ends with its input, and says what it took since the last line. */
const { kind, url, prefix, concurrency, steps, leaseMs } = JSON.parse(process.argv[2] ?? '') as ChildPlan;

/** BullMQ as it comes, on a connection as it comes. */
async function startRaw(): Promise<() => Promise<void>> {
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  const options = { connection: redis, prefix, concurrency };
  const worker = new Worker<{ readonly text: string }>('raw', async ({ data }) => data.text.length, options);
  await worker.waitUntilReady();
  return async () => {
    await worker.close();
    redis.disconnect();
  };
}

async function startPawl(): Promise<() => Promise<void>> {
  const { redis, close } = await connectRedis(url, { waitMs: Number.POSITIVE_INFINITY });
  const store = redisStore(redis, { prefix });
  const queue = sessionQueue(redis, store, { prefix });
  const outfitFor = outfitOf(kind === 'stuck' ? null : steps);
  const worker = await startWorker({ redis, store, queue, outfitFor, prefix, concurrency, leaseMs });
  return async () => {
    await worker.close();
    await queue.close();
    await close();
  };
}

const end = kind === 'raw' ? await startRaw() : await startPawl();
process.stdout.write('ready\n');
let mark = process.cpuUsage();
const lines = createInterface({ input: process.stdin });
lines.on('line', () => {
  mark = process.cpuUsage();
});
await once(lines, 'close');
// Whoever started it may be gone, and Redis with it.
setTimeout(() => process.exit(1), 20_000).unref();
const { user, system } = process.cpuUsage(mark);
process.stdout.write(`${JSON.stringify({ processorMs: (user + system) / 1_000 })}\n`);
await end();
