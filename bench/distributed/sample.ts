import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { messagesAfter } from '../durable/work.ts';
import { emptied, openPlace, type BenchPlace } from './place.ts';
import { messageAt } from './work.ts';
import { startWorkerProcess, type ChildPlan } from './workers.ts';

/** So many sessions, of so many steps each. */
export type Load = { readonly sessions: number; readonly steps: number };

export type Setting = Load & {
  readonly url: string;
  readonly workers: number;
  /** Sessions, or jobs, at once in each worker. */
  readonly concurrency: number;
};

/** `processorMs` is that of all workers together; that of Redis is not among it. */
export type Sample = { readonly seconds: number; readonly processorMs: number };

/** Enough messages for the compiler to be done with the work: until then a worker takes twice as long. */
const warmUpMessages = 2_000;

const leaseMs = 10_000;

/** Workers take as many messages as the sessions have, each as a job of BullMQ that does nothing. */
export async function sampleRaw(setting: Setting): Promise<Sample> {
  const { url, sessions, steps } = setting;
  const prefix = `{raw-${(samples += 1)}-${process.pid}}`;
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue('raw', { connection, prefix });
  const add = async (count: number): Promise<void> => {
    for (let from = 0; from < count; from += addedAtOnce) {
      await queue.addBulk(rawJobs(from, Math.min(count, from + addedAtOnce)));
    }
  };
  const messages = messagesAfter(steps);
  try {
    return await timed('raw', setting, {
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

let samples = 0;
const addedAtOnce = 1_000;

function rawJobs(from: number, to: number) {
  return Array.from({ length: to - from }, (_, index) => ({
    name: 'message',
    data: { text: messageAt(from + index) },
    opts: { removeOnComplete: true },
  }));
}

/** The same, with what a session takes in the memory of Redis when it is done, and what is written to its file for it. */
export type PawlSample = Sample & { readonly redisBytes: number; readonly writtenBytes: number };

/** Workers bring sessions to their answers. */
export async function samplePawl(setting: Setting): Promise<PawlSample> {
  const { sessions, steps } = setting;
  const warmUpSessions = Math.ceil(warmUpMessages / messagesAfter(steps));
  const place = await openPlace(setting.url);
  const { queue, store, prefix } = place;
  let before = 0;
  try {
    const sample = await timed('pawl', setting, {
      prefix,
      queue: queue.parts.queues.of('default'),
      warmUp: () => place.submit('warm', warmUpSessions),
      fill: async () => {
        before = await bytesInFile(place);
        await place.submit('s', sessions);
      },
    });
    const writtenBytes = ((await bytesInFile(place)) - before) / sessions;
    const expected = sessions + warmUpSessions;
    const all = await store.list({ limit: expected });
    const done = all.filter((each) => each.status === 'waitingForUser' && each.steps === steps + 1);
    if (done.length !== expected) {
      throw new Error(`Expected ${expected} sessions at their answer, found ${done.length}`);
    }
    const redisBytes = await bytesOf(place, Math.min(sessions, weighedMax));
    return { ...sample, redisBytes, writtenBytes };
  } finally {
    await place.close();
  }
}

/** How long the file is to which Redis writes everything down. */
async function bytesInFile({ redis }: BenchPlace): Promise<number> {
  return Number(/aof_current_size:(\d+)/.exec(await redis.info('persistence'))?.[1]);
}

const weighedMax = 20;

/** What all keys of a session take together, on the average of some. */
async function bytesOf({ redis, prefix }: BenchPlace, count: number): Promise<number> {
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

type Timed = {
  readonly prefix: string;
  readonly queue: Pick<Queue, 'pause' | 'resume' | 'getJobCounts'>;
  readonly warmUp: () => Promise<void>;
  readonly fill: () => Promise<void>;
};

/** All is in the queue before the clock starts, and the workers have done such work before. */
async function timed(
  kind: ChildPlan['kind'],
  { url, concurrency, steps, workers: count }: Setting,
  { prefix, queue, warmUp, fill }: Timed,
): Promise<Sample> {
  const plan: ChildPlan = { kind, url, prefix, concurrency, steps, leaseMs };
  const workers = await Promise.all(Array.from({ length: count }, () => startWorkerProcess(plan)));
  await warmUp();
  await emptied(queue);
  await queue.pause();
  await fill();
  for (const worker of workers) worker.mark();
  const start = performance.now();
  await queue.resume();
  await emptied(queue);
  const seconds = (performance.now() - start) / 1_000;
  const processorMs = await Promise.all(workers.map((worker) => worker.end()));
  return { seconds, processorMs: processorMs.reduce((sum, each) => sum + each, 0) };
}
