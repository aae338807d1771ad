import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '@pawl/runtime';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { gatherWrites } from './gather-writes.ts';
import type { RedisClient } from './redis-client.ts';

export type ConnectOptions = {
  /**
   * How long to wait for an answer, in milliseconds; `Infinity` for as long as it takes, which is what a worker does: what it
   * was about to write is written once Redis is back. 10 seconds unless told otherwise.
   */
  readonly waitMs?: number;
  /** Aborted when nobody waits for it any longer. */
  readonly signal?: AbortSignal;
};

export type Connected = {
  readonly redis: RedisClient;
  /** The address, without a password. */
  readonly place: string;
  readonly close: () => Promise<void>;
};

const defaultWaitMs = 10_000;

/** Connects, or says in one line why that cannot be done. The address of any node of a cluster is that of the cluster. */
export async function connectRedis(
  url: string,
  { waitMs = defaultWaitMs, signal }: ConnectOptions = {},
): Promise<Connected> {
  const place = placeOf(url);
  const first = new Redis(url, { lazyConnect: true, ...optionsFor(waitMs) });
  gatherWrites(first);
  try {
    let info = '';
    const redis = await reached(first, signal, async () => {
      await first.connect();
      // A wrong password shows only now.
      info = await first.info('cluster');
    });
    if (!info.includes('cluster_enabled:1')) return { redis, place, close: () => closed(redis) };
    const cluster = await reached(clusterAt(url, waitMs), signal, async (made) => {
      await made.connect();
      await made.ping();
    });
    first.disconnect();
    return { redis: cluster, place, close: () => closed(cluster) };
  } catch (error) {
    first.disconnect();
    throw new StoreError('unreadable', place, whyNot(error), error);
  }
}

function optionsFor(waitMs: number) {
  return {
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(times * 50, 1_000),
    ...(Number.isFinite(waitMs) && { commandTimeout: waitMs, connectTimeout: waitMs }),
  } satisfies RedisOptions;
}

/** How long to wait before a command is tried again while a replica takes over. */
const failoverMs = 500;

/** What ioredis allows by itself, for keys that have moved to another node. */
const redirectionsMin = 16;

function clusterAt(url: string, waitMs: number): Cluster {
  const { hostname, port, username, password, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const cluster = new Cluster([{ host, port: portIn(port) }], {
    lazyConnect: true,
    retryDelayOnFailover: failoverMs,
    // Each try counts as a redirection: there are as many as fit into the time to wait.
    maxRedirections: Number.isFinite(waitMs)
      ? redirectionsMin + Math.ceil(waitMs / failoverMs)
      : Number.MAX_SAFE_INTEGER,
    redisOptions: {
      ...optionsFor(waitMs),
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  });
  cluster.on('+node', (node: Redis) => gatherWrites(node));
  return cluster;
}

/** Resolves to the client once it is connected, or rejects with the first error it reports. */
async function reached<Client extends RedisClient>(
  redis: Client,
  signal: AbortSignal | undefined,
  connect: (redis: Client) => Promise<unknown>,
): Promise<Client> {
  const { promise: refused, reject } = Promise.withResolvers<never>();
  refused.catch(() => undefined);
  // Later errors reach whoever waits for an answer; without a listener they would end the process.
  redis.on('error', reject);
  const giveUp = (): void => reject(signal?.reason);
  signal?.addEventListener('abort', giveUp, { once: true });
  if (signal?.aborted === true) giveUp();
  try {
    await Promise.race([connect(redis), refused]);
    return redis;
  } catch (error) {
    redis.disconnect();
    throw error;
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

function portIn(port: string): number {
  return port === '' ? 6379 : Number(port);
}

/** Never the address as it stands: there may be a password in it. */
export function placeOf(url: string): string {
  const parsed = URL.parse(url);
  const isRedis = parsed !== null && /^rediss?:$/.test(parsed.protocol) && parsed.hostname !== '';
  if (!isRedis) {
    const reason = 'a Redis address looks like redis://127.0.0.1:6379';
    throw new StoreError('unreadable', 'the address that was given', reason);
  }
  return `Redis at ${parsed.hostname}:${portIn(parsed.port)}`;
}

/** How long closing a connection may take to send what still waits. */
const partingMs = 5_000;

/** What waits to be sent is sent first, unless Redis is gone. */
async function closed(redis: RedisClient): Promise<void> {
  const late = new AbortController();
  const quitting = redis.status === 'ready' ? redis.quit().catch(() => undefined) : undefined;
  await Promise.race([quitting, sleep(partingMs, undefined, late).catch(() => undefined)]);
  late.abort();
  redis.disconnect();
}

export function whyNot(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it gives no answer';
  const message = error instanceof Error ? error.message : String(error);
  if (/^(?:WRONGPASS|NOAUTH|NOPERM)|invalid (?:username-)?password/i.test(message)) {
    return `it does not let us in: ${message}`;
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return `it cannot be reached: ${message === '' ? code : message}`;
}
