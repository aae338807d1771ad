import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '@pawl/runtime/store';
import {
  connectRedis,
  formatRedisAddress,
  describeConnectionError,
  type RedisConnection,
} from './connect-redis.ts';
import { checkDurability, type DurabilityOptions } from './durability.ts';

export type AwaitRedisOptions = DurabilityOptions & {
  /** Aborts the wait. */
  readonly signal: AbortSignal;
  /** How long a Redis that accepts connections may take to answer before a new connection is tried; defaults to 5 s. */
  readonly attemptMs?: number;
  /** Called once when the wait begins, with the address and the reason. */
  readonly onDisconnected?: (address: string, reason: string) => void;
  /** Called when Redis becomes available after a wait. */
  readonly onConnected?: (address: string) => void;
};

const defaultAttemptMs = 5_000;
const backoffMinMs = 200;
const backoffMaxMs = 5_000;

/**
 * Connects and waits indefinitely for a Redis that is not available yet, as a worker does. Errors that waiting cannot
 * fix, such as a wrong password or missing persistence, reject at once. Resolves to null if aborted.
 */
export async function awaitRedis(url: string, options: AwaitRedisOptions): Promise<RedisConnection | null> {
  const { signal, onDisconnected = () => undefined, onConnected = () => undefined } = options;
  const address = formatRedisAddress(url);
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      const connected = await attemptConnection(url, options);
      if (tries > 0) onConnected(address);
      return connected;
    } catch (error) {
      if (signal.aborted) return null;
      const cause = error instanceof Error ? error.cause : undefined;
      if (!isTransientError(error, cause)) throw error;
      if (tries === 0) onDisconnected(address, describeConnectionError(cause));
    }
    const pauseMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** tries);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return null;
}

async function attemptConnection(
  url: string,
  { signal, attemptMs = defaultAttemptMs, ...durability }: AwaitRedisOptions,
): Promise<RedisConnection> {
  const attemptSignal = AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]);
  const connected = await connectRedis(url, { waitMs: Number.POSITIVE_INFINITY, signal: attemptSignal });
  const { redis, address, close } = connected;
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const abort = (): void => {
    reject(new StoreError('busy', address, 'it does not respond', attemptSignal.reason));
    // Disconnecting rejects all pending requests.
    redis.disconnect();
  };
  attemptSignal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([checkDurability(redis, address, durability), timedOut]);
    return connected;
  } catch (error) {
    await close();
    throw error;
  } finally {
    attemptSignal.removeEventListener('abort', abort);
  }
}

/** Transient network errors; a host name may not resolve until its machine is running. */
const transientCodes: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

const transientPattern =
  /^(?:LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY)\b|max number of clients|Connection is closed|Failed to refresh slots cache/;

function isTransientError(error: unknown, cause: unknown): boolean {
  if (error instanceof StoreError && error.code === 'busy') return true;
  if (!(cause instanceof Error)) return false;
  if (cause.name === 'TimeoutError') return true;
  return transientCodes.has('code' in cause ? cause.code : null) || transientPattern.test(cause.message);
}
