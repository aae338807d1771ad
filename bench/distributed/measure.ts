import { Redis } from 'ioredis';
import { startRedis } from '../../packages/worker/test/redis-server.ts';
import { messagesAfter } from '../durable/work.ts';
import { environment, versionOf, type Environment } from '../lib/environment.ts';
import { pairedRatios, summarise, type Summary } from '../lib/statistics.ts';
import { measureFairness, type Fairness } from './fairness.ts';
import { samplePawl, sampleRaw, type Load, type PawlSample, type Sample, type Setting } from './sample.ts';
import { measureTakeover } from './takeover.ts';

export type Plan = {
  readonly rounds: number;
  readonly workers: readonly number[];
  readonly loads: readonly Load[];
  readonly concurrency: number;
  readonly fairness: { readonly few: number; readonly many: number };
  readonly takeovers: { readonly times: number; readonly leaseMs: number };
};

/** One number of workers at one load. What is `ofRaw` is by the raw jobs of the same round. */
export type Row = Load & {
  readonly workers: number;
  readonly sessionsPerSecond: number;
  readonly stepsPerSecond: number;
  readonly messagesPerSecond: number;
  readonly rawPerSecond: number;
  readonly ofRaw: Summary;
  /** Microseconds of processor time of the workers for a message. */
  readonly processorUs: number;
  readonly rawProcessorUs: number;
  readonly processorOfRaw: Summary;
  /** What a session takes in the memory of Redis when it is done. */
  readonly redisBytes: number;
  readonly writtenBytes: number;
};

export type Measured = {
  readonly environment: Environment;
  readonly redis: string;
  readonly bullmq: string;
  readonly rounds: number;
  readonly rows: readonly Row[];
  readonly fairness: Fairness;
  readonly takeover: { readonly leaseMs: number; readonly seconds: Summary };
};

/** A file that is rewritten in between gets shorter by it. */
const noRewrites = { 'auto-aof-rewrite-percentage': '0' };

export async function measure(plan: Plan): Promise<Measured> {
  // How busy the machine is counts from before this makes it so.
  const on = environment();
  const server = await startRedis({ appendfsync: 'everysec', ...noRewrites });
  try {
    const { url } = server;
    const { concurrency, loads, rounds, workers: counts, takeovers } = plan;
    const rows: Row[] = [];
    for (const load of loads) {
      for (const workers of counts) {
        rows.push(await measureRow({ url, workers, concurrency, ...load }, rounds));
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
      redis: await versionOfRedis(url),
      bullmq: versionOf('bullmq'),
      rounds,
      rows,
      fairness,
      takeover: { leaseMs: takeovers.leaseMs, seconds: summarise(seconds) },
    };
  } finally {
    await server.stop();
  }
}

async function versionOfRedis(url: string): Promise<string> {
  const redis = new Redis(url);
  const info = await redis.info('server');
  redis.disconnect();
  return /redis_version:(\S+)/.exec(info)?.[1] ?? 'unknown';
}

async function measureRow(setting: Setting, rounds: number): Promise<Row> {
  const [raw, pawl]: [Sample[], PawlSample[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    // In turns, and each goes first in turn.
    if (round % 2 === 0) raw.push(await sampleRaw(setting));
    pawl.push(await samplePawl(setting));
    if (round % 2 === 1) raw.push(await sampleRaw(setting));
  }
  return rowOf(setting, raw, pawl);
}

function rowOf(
  { sessions, steps, workers }: Setting,
  raw: readonly Sample[],
  pawl: readonly PawlSample[],
): Row {
  const messages = sessions * messagesAfter(steps);
  const by = (
    valueOf: (each: Sample) => number,
    [of, base]: readonly (readonly Sample[])[] = [pawl, raw],
  ): Summary => summarise(pairedRatios((of ?? []).map(valueOf), (base ?? []).map(valueOf)));
  const seconds = summarise(pawl.map((each) => each.seconds)).median;
  const processor = (samples: readonly Sample[]): number =>
    (1_000 * summarise(samples.map(({ processorMs }) => processorMs)).median) / messages;
  return {
    sessions,
    steps,
    workers,
    sessionsPerSecond: sessions / seconds,
    stepsPerSecond: (sessions * (steps + 1)) / seconds,
    messagesPerSecond: messages / seconds,
    rawPerSecond: messages / summarise(raw.map((each) => each.seconds)).median,
    ofRaw: by((each) => each.seconds, [raw, pawl]),
    processorUs: processor(pawl),
    rawProcessorUs: processor(raw),
    processorOfRaw: by(({ processorMs }) => processorMs),
    redisBytes: summarise(pawl.map((each) => each.redisBytes)).median,
    writtenBytes: summarise(pawl.map((each) => each.writtenBytes)).median,
  };
}
