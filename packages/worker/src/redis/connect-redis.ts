import { StoreError } from '@pawl/runtime/store';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from './redis-client.ts';

export type ConnectRedisOptions = {
  /**
   * How long to wait for a reply, in milliseconds; defaults to 10 seconds. Workers use `Infinity`, so that pending
   * writes complete once Redis is back.
   */
  readonly waitMs?: number;
  /** Aborts the connection attempt. */
  readonly signal?: AbortSignal;
};

export type RedisConnection = {
  readonly redis: RedisClient;
  /** The address, without a password. */
  readonly address: string;
  readonly close: () => Promise<void>;
};

const defaultRedisWaitMs = 10_000;

/** Connects, or rejects with a one-line reason. The address of any cluster node connects to the whole cluster. */
export async function connectRedis(
  url: string,
  { waitMs = defaultRedisWaitMs, signal }: ConnectRedisOptions = {},
): Promise<RedisConnection> {
  const address = formatRedisAddress(url);
  const first = new Redis(url, { lazyConnect: true, ...buildRedisOptions(waitMs) });
  batchSocketWrites(first);
  try {
    let info = '';
    const redis = await connectClient(first, signal, async () => {
      await first.connect();
      // A wrong password surfaces only with the first command.
      info = await first.info('cluster');
    });
    if (!info.includes('cluster_enabled:1')) return { redis, address, close: () => closeClient(redis) };
    const cluster = await connectClient(createCluster(url, waitMs), signal, async (client) => {
      await client.connect();
      await client.ping();
    });
    first.disconnect();
    return { redis: cluster, address, close: () => closeClient(cluster) };
  } catch (error) {
    first.disconnect();
    throw new StoreError('unreadable', address, describeConnectionError(error), error);
  }
}

function buildRedisOptions(waitMs: number) {
  return {
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(times * 50, 1_000),
    ...(Number.isFinite(waitMs) && { commandTimeout: waitMs, connectTimeout: waitMs }),
  } satisfies RedisOptions;
}

/** Delay before a command is retried while a replica takes over. */
const failoverMs = 500;

/** The ioredis default, for keys that moved to another node. */
const redirectionsMin = 16;

function createCluster(url: string, waitMs: number): Cluster {
  const { hostname, port, username, password, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const cluster = new Cluster([{ host, port: parseRedisPort(port) }], {
    lazyConnect: true,
    retryDelayOnFailover: failoverMs,
    // Each retry counts as a redirection, so allow as many as fit into the wait time.
    maxRedirections: Number.isFinite(waitMs)
      ? redirectionsMin + Math.ceil(waitMs / failoverMs)
      : Number.MAX_SAFE_INTEGER,
    redisOptions: {
      ...buildRedisOptions(waitMs),
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  });
  cluster.on('+node', (node: Redis) => batchSocketWrites(node));
  return cluster;
}

/** Resolves to the client once it is connected, or rejects with the first error it reports. */
async function connectClient<Client extends RedisClient>(
  redis: Client,
  signal: AbortSignal | undefined,
  connect: (redis: Client) => Promise<unknown>,
): Promise<Client> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  // Later errors reject the pending requests; without a listener they would crash the process.
  redis.on('error', reject);
  const abort = (): void => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  try {
    await Promise.race([connect(redis), failed]);
    return redis;
  } catch (error) {
    redis.disconnect();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

function parseRedisPort(port: string): number {
  return port === '' ? 6379 : Number(port);
}

/** Never returns the raw address, because it may contain a password. */
export function formatRedisAddress(url: string): string {
  const parsed = URL.parse(url);
  const isRedis = parsed !== null && /^rediss?:$/.test(parsed.protocol) && parsed.hostname !== '';
  if (!isRedis) {
    const reason = 'a Redis address looks like redis://127.0.0.1:6379';
    throw new StoreError('unreadable', 'the given address', reason);
  }
  return `Redis at ${parsed.hostname}:${parseRedisPort(parsed.port)}`;
}

/** How long closing a connection may take to flush pending commands. */
const quitTimeoutMs = 5_000;

/** Flushes pending commands first, unless Redis is unavailable. */
async function closeClient(redis: RedisClient): Promise<void> {
  const late = new AbortController();
  const quitReply = redis.status === 'ready' ? redis.quit().catch(() => undefined) : undefined;
  await Promise.race([quitReply, sleep(quitTimeoutMs, undefined, late).catch(() => undefined)]);
  late.abort();
  redis.disconnect();
}

export function describeConnectionError(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it does not respond';
  const message = error instanceof Error ? error.message : String(error);
  if (/^(?:WRONGPASS|NOAUTH|NOPERM)|invalid (?:username-)?password/i.test(message)) {
    return `authentication failed: ${message}`;
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return `it cannot be reached: ${message === '' ? code : message}`;
}

/**
 * Batches all socket writes of one event loop turn. Replies for a worker's many sessions arrive together, and so do
 * their next commands; a system call for each of them would dominate the cost.
 */
function batchSocketWrites(redis: Redis): void {
  // Each connection has its own stream, including one made after a reconnect.
  redis.on('connect', () => corkStreamWrites(redis.stream));
}

function corkStreamWrites(stream: Socket): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  let isCorked = false;
  const uncork = (): void => {
    isCorked = false;
    stream.uncork();
  };
  const batchedWrite = (...args: unknown[]): boolean => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(uncork);
    }
    return write(...args);
  };
  stream.write = batchedWrite;
}
