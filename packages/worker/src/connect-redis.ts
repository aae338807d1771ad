import { StoreError } from '@pawl/runtime';
import { Redis } from 'ioredis';
import type { RedisClient } from './redis-client.ts';

export type ConnectOptions = {
  /**
   * How long to wait for an answer, in milliseconds; `Infinity` for as long as it takes, which is what a worker does: what it
   * was about to write is written once Redis is back. 10 seconds unless told otherwise.
   */
  readonly waitMs?: number;
};

export type Connected = {
  readonly redis: RedisClient;
  /** The address, without a password. */
  readonly place: string;
  readonly close: () => Promise<void>;
};

const defaultWaitMs = 10_000;

/** Connects, or says in one line why that cannot be done. */
export async function connectRedis(
  url: string,
  { waitMs = defaultWaitMs }: ConnectOptions = {},
): Promise<Connected> {
  const place = placeOf(url);
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(times * 50, 1_000),
    ...(Number.isFinite(waitMs) && { commandTimeout: waitMs, connectTimeout: waitMs }),
  });
  const { promise: refused, reject } = Promise.withResolvers<never>();
  refused.catch(() => undefined);
  // Later ones are told to whoever waits for an answer; here somebody only has to listen.
  redis.on('error', reject);
  try {
    await Promise.race([redis.connect(), refused]);
    // A wrong password shows only now.
    await Promise.race([redis.ping(), refused]);
  } catch (error) {
    redis.disconnect();
    throw new StoreError('unreadable', place, whyNot(error), error);
  }
  return { redis, place, close: () => closed(redis) };
}

/** Never the address as it stands: there may be a password in it. */
function placeOf(url: string): string {
  const parsed = URL.parse(url);
  const isRedis = parsed !== null && /^rediss?:$/.test(parsed.protocol) && parsed.hostname !== '';
  if (!isRedis) {
    const reason = 'an address of Redis looks like redis://127.0.0.1:6379';
    throw new StoreError('unreadable', 'the address that was given', reason);
  }
  return `Redis at ${parsed.hostname}:${parsed.port === '' ? 6379 : parsed.port}`;
}

/** What waits to be sent is sent first, unless Redis is gone. */
async function closed(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') return redis.disconnect();
  await redis.quit().catch(() => redis.disconnect());
}

function whyNot(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/^(?:WRONGPASS|NOAUTH|NOPERM)|invalid (?:username-)?password/i.test(message)) {
    return `it does not let us in: ${message}`;
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return `it cannot be reached: ${message === '' ? code : message}`;
}
