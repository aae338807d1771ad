import { Redis } from 'ioredis';
import { startRedis } from '../../packages/worker/test/redis-server.ts';
import { countBenchMessages } from '../durable/bench-session.ts';
import { readBenchMachine, getPackageVersion, type BenchMachine } from '../lib/environment.ts';
import { computePairedRatios, summarizeSamples, type SampleSummary } from '../lib/statistics.ts';
import { measureFairness, type FairnessResult } from './fairness.ts';
import {
  samplePawl,
  sampleRaw,
  type SessionLoad,
  type PawlSample,
  type WorkerSample,
  type SampleSetting,
} from './sample.ts';
import { measureTakeover } from './takeover.ts';

export type DistributedPlan = {
  readonly rounds: number;
  readonly workers: readonly number[];
  readonly loads: readonly SessionLoad[];
  readonly concurrency: number;
  readonly fairness: { readonly few: number; readonly many: number };
  readonly takeovers: { readonly times: number; readonly leaseMs: number };
};

/** One combination of worker count and load. `ofRaw` values are ratios to the raw jobs of the same round. */
export type DistributedRow = SessionLoad & {
  readonly workers: number;
  readonly sessionsPerSecond: number;
  readonly stepsPerSecond: number;
  readonly messagesPerSecond: number;
  readonly rawPerSecond: number;
  readonly ofRaw: SampleSummary;
  /** CPU time of the workers per message, in microseconds. */
  readonly processorUs: number;
  readonly rawProcessorUs: number;
  readonly processorOfRaw: SampleSummary;
  /** Redis memory of a completed session. */
  readonly redisBytes: number;
  readonly writtenBytes: number;
};

export type DistributedResult = {
  readonly environment: BenchMachine;
  readonly redis: string;
  readonly bullmq: string;
  readonly rounds: number;
  readonly rows: readonly DistributedRow[];
  readonly fairness: FairnessResult;
  readonly takeover: { readonly leaseMs: number; readonly seconds: SampleSummary };
};

/** Disabled because a rewrite would shrink the file and distort the measured size. */
const noRewrites = { 'auto-aof-rewrite-percentage': '0' };

export async function measureDistributed(plan: DistributedPlan): Promise<DistributedResult> {
  // Read the machine's load before the benchmark adds to it.
  const on = readBenchMachine();
  const server = await startRedis({ appendfsync: 'everysec', ...noRewrites });
  try {
    const { url } = server;
    const { concurrency, loads, rounds, workers: counts, takeovers } = plan;
    const rows: DistributedRow[] = [];
    for (const load of loads) {
      for (const workers of counts) {
        rows.push(await measureDistributedRow({ url, workers, concurrency, ...load }, rounds));
      }
    }
    const workers = Math.min(2, counts.at(-1) ?? 1);
    const steps = loads[0]?.steps ?? 0;
    const fairness = await measureFairness({ url, workers, concurrency, steps, ...plan.fairness });
    const seconds: number[] = [];
    for (let time = 0; time < takeovers.times; time += 1) {
      seconds.push(await measureTakeover(url, takeovers.leaseMs));
    }
    return {
      environment: on,
      redis: await readRedisVersion(url),
      bullmq: getPackageVersion('bullmq'),
      rounds,
      rows,
      fairness,
      takeover: { leaseMs: takeovers.leaseMs, seconds: summarizeSamples(seconds) },
    };
  } finally {
    await server.stop();
  }
}

async function readRedisVersion(url: string): Promise<string> {
  const redis = new Redis(url);
  const info = await redis.info('server');
  redis.disconnect();
  return /redis_version:(\S+)/.exec(info)?.[1] ?? 'unknown';
}

async function measureDistributedRow(setting: SampleSetting, rounds: number): Promise<DistributedRow> {
  const [raw, pawl]: [WorkerSample[], PawlSample[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    // Alternate which of the two runs first.
    if (round % 2 === 0) raw.push(await sampleRaw(setting));
    pawl.push(await samplePawl(setting));
    if (round % 2 === 1) raw.push(await sampleRaw(setting));
  }
  return toDistributedRow(setting, raw, pawl);
}

function toDistributedRow(
  { sessions, steps, workers }: SampleSetting,
  raw: readonly WorkerSample[],
  pawl: readonly PawlSample[],
): DistributedRow {
  const messages = sessions * countBenchMessages(steps);
  const by = (
    valueOf: (each: WorkerSample) => number,
    [of, base]: readonly (readonly WorkerSample[])[] = [pawl, raw],
  ): SampleSummary =>
    summarizeSamples(computePairedRatios((of ?? []).map(valueOf), (base ?? []).map(valueOf)));
  const seconds = summarizeSamples(pawl.map((each) => each.seconds)).median;
  const processor = (samples: readonly WorkerSample[]): number =>
    (1_000 * summarizeSamples(samples.map(({ processorMs }) => processorMs)).median) / messages;
  return {
    sessions,
    steps,
    workers,
    sessionsPerSecond: sessions / seconds,
    stepsPerSecond: (sessions * (steps + 1)) / seconds,
    messagesPerSecond: messages / seconds,
    rawPerSecond: messages / summarizeSamples(raw.map((each) => each.seconds)).median,
    ofRaw: by((each) => each.seconds, [raw, pawl]),
    processorUs: processor(pawl),
    rawProcessorUs: processor(raw),
    processorOfRaw: by(({ processorMs }) => processorMs),
    redisBytes: summarizeSamples(pawl.map((each) => each.redisBytes)).median,
    writtenBytes: summarizeSamples(pawl.map((each) => each.writtenBytes)).median,
  };
}
