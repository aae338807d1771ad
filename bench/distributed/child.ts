import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { connectRedis, createRedisStore, createSessionQueue, startWorker } from '@pawl/worker';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { createBenchAgentFactory } from './bench-agent.ts';
import type { WorkerProcessPlan } from './workers.ts';

/**
 * One worker in its own process. It prints a line when it is ready, resets its CPU baseline on each input line, and
 * reports the CPU time since then when its input ends.
 */
const { kind, url, prefix, concurrency, steps, leaseMs } = JSON.parse(
  process.argv[2] ?? '',
) as WorkerProcessPlan;

/** BullMQ with default options, on a default connection. */
async function startRawWorker(): Promise<() => Promise<void>> {
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  const options = { connection: redis, prefix, concurrency };
  const worker = new Worker<{ readonly text: string }>('raw', async ({ data }) => data.text.length, options);
  await worker.waitUntilReady();
  return async () => {
    await worker.close();
    redis.disconnect();
  };
}

async function startPawlWorker(): Promise<() => Promise<void>> {
  const { redis, close } = await connectRedis(url, { waitMs: Number.POSITIVE_INFINITY });
  const store = createRedisStore(redis, { prefix });
  const queue = createSessionQueue(redis, store, { prefix });
  const agentFactory = createBenchAgentFactory(kind === 'stuck' ? null : steps);
  const worker = await startWorker({ redis, store, queue, agentFactory, prefix, concurrency, leaseMs });
  return async () => {
    await worker.close();
    await queue.close();
    await close();
  };
}

const stopWorker = kind === 'raw' ? await startRawWorker() : await startPawlWorker();
process.stdout.write('ready\n');
let cpuBaseline = process.cpuUsage();
const lines = createInterface({ input: process.stdin });
lines.on('line', () => {
  cpuBaseline = process.cpuUsage();
});
await once(lines, 'close');
// The parent process, and Redis with it, may be gone already.
setTimeout(() => process.exit(1), 20_000).unref();
const { user, system } = process.cpuUsage(cpuBaseline);
process.stdout.write(`${JSON.stringify({ processorMs: (user + system) / 1_000 })}\n`);
await stopWorker();
