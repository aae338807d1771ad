import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { countBenchMessages } from '../durable/bench-session.ts';
import { waitUntilDrained, openBenchEnvironment, type BenchEnvironment } from './bench-environment.ts';
import { getRawMessage } from './bench-agent.ts';
import { startWorkerProcess, type WorkerProcessPlan } from './workers.ts';

/** Number of sessions, and steps per session. */
export type SessionLoad = { readonly sessions: number; readonly steps: number };

export type SampleSetting = SessionLoad & {
  readonly url: string;
  readonly workers: number;
  /** Concurrent sessions or jobs per worker. */
  readonly concurrency: number;
};

/** `processorMs` is the CPU time of all workers together, without Redis. */
export type WorkerSample = { readonly seconds: number; readonly processorMs: number };

/** Enough messages for JIT compilation to finish; before that, a worker takes twice as long. */
const warmUpMessages = 2_000;

const benchLeaseMs = 10_000;

/** Measures workers that process the same number of messages, each as an empty BullMQ job. */
export async function sampleRaw(setting: SampleSetting): Promise<WorkerSample> {
  const { url, sessions, steps } = setting;
  const prefix = `{raw-${(sampleCount += 1)}-${process.pid}}`;
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue('raw', { connection, prefix });
  const add = async (count: number): Promise<void> => {
    for (let from = 0; from < count; from += rawJobBatchSize) {
      await queue.addBulk(createRawJobs(from, Math.min(count, from + rawJobBatchSize)));
    }
  };
  const messages = countBenchMessages(steps);
  try {
    return await timeWorkers('raw', setting, {
      prefix,
      queue,
      warmUp: () => add(warmUpMessages),
      fill: () => add(sessions * messages),
    });
  } finally {
    await queue.obliterate({ force: true });
    await queue.close();
    connection.disconnect();
  }
}

let sampleCount = 0;
const rawJobBatchSize = 1_000;

function createRawJobs(from: number, to: number) {
  return Array.from({ length: to - from }, (_, index) => ({
    name: 'message',
    data: { text: getRawMessage(from + index) },
    opts: { removeOnComplete: true },
  }));
}

/** Adds the Redis memory of a completed session and the bytes written to the append-only file for it. */
export type PawlSample = WorkerSample & { readonly redisBytes: number; readonly writtenBytes: number };

/** Measures workers that run sessions to their answers. */
export async function samplePawl(setting: SampleSetting): Promise<PawlSample> {
  const { sessions, steps } = setting;
  const warmUpSessions = Math.ceil(warmUpMessages / countBenchMessages(steps));
  const place = await openBenchEnvironment(setting.url);
  const { queue, store, prefix } = place;
  let before = 0;
  try {
    const sample = await timeWorkers('pawl', setting, {
      prefix,
      queue: queue.parts.queues.getQueue('default'),
      warmUp: () => place.submit('warm', warmUpSessions),
      fill: async () => {
        before = await readAofBytes(place);
        await place.submit('s', sessions);
      },
    });
    const writtenBytes = ((await readAofBytes(place)) - before) / sessions;
    const expected = sessions + warmUpSessions;
    const all = await store.list({ limit: expected });
    const done = all.filter((each) => each.status === 'waitingForUser' && each.steps === steps + 1);
    if (done.length !== expected) {
      throw new Error(`Expected ${expected} sessions at their answer, found ${done.length}`);
    }
    const redisBytes = await measureSessionBytes(place, Math.min(sessions, weighedSessionsMax));
    return { ...sample, redisBytes, writtenBytes };
  } finally {
    await place.close();
  }
}

/** Reads the size of Redis's append-only file. */
async function readAofBytes({ redis }: BenchEnvironment): Promise<number> {
  return Number(/aof_current_size:(\d+)/.exec(await redis.info('persistence'))?.[1]);
}

const weighedSessionsMax = 20;

/** Average memory of all keys of a session, over a sample of sessions. */
async function measureSessionBytes({ redis, prefix }: BenchEnvironment, count: number): Promise<number> {
  let bytes = 0;
  for (let index = 0; index < count; index += 1) {
    for (const name of sessionKeyNames) {
      const key = `${prefix}:{s-${index}}:${name}`;
      bytes += (await redis.memory('USAGE', key, 'SAMPLES', 0)) ?? 0;
    }
  }
  return bytes / count;
}

const sessionKeyNames = [
  'session',
  'log',
  'snapshot',
  'commands',
  'requests',
  'request-order',
  'care',
  'claims',
];

type WorkerTimingOptions = {
  readonly prefix: string;
  readonly queue: Pick<Queue, 'pause' | 'resume' | 'getJobCounts'>;
  readonly warmUp: () => Promise<void>;
  readonly fill: () => Promise<void>;
};

/** Times warmed-up workers on a queue that is filled before the clock starts. */
async function timeWorkers(
  kind: WorkerProcessPlan['kind'],
  { url, concurrency, steps, workers: count }: SampleSetting,
  { prefix, queue, warmUp, fill }: WorkerTimingOptions,
): Promise<WorkerSample> {
  const plan: WorkerProcessPlan = { kind, url, prefix, concurrency, steps, leaseMs: benchLeaseMs };
  const workers = await Promise.all(Array.from({ length: count }, () => startWorkerProcess(plan)));
  await warmUp();
  await waitUntilDrained(queue);
  await queue.pause();
  await fill();
  for (const worker of workers) worker.resetCpuBaseline();
  const start = performance.now();
  await queue.resume();
  await waitUntilDrained(queue);
  const seconds = (performance.now() - start) / 1_000;
  const processorMs = await Promise.all(workers.map((worker) => worker.end()));
  return { seconds, processorMs: processorMs.reduce((sum, each) => sum + each, 0) };
}
