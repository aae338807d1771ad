import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '@pawl/runtime';
import { connectRedis, placeOf, whyNot, type Connected } from './connect-redis.ts';
import { checkDurability, type DurabilityOptions } from './durability.ts';

export type AwaitOptions = DurabilityOptions & {
  /** Aborted when nobody wants to wait any longer. */
  readonly signal: AbortSignal;
  /** Told once, when the waiting begins: for which Redis, and why. */
  readonly onAway?: (place: string, reason: string) => void;
  /** Told when the waiting is over and Redis is there. */
  readonly onThere?: (place: string) => void;
};

/** How long a Redis that takes connections may go without an answer before it is tried anew. */
const attemptMs = 5_000;
const pauseMinMs = 200;
const pauseMaxMs = 5_000;

/**
 * Connects, as a worker does: a Redis that is not there yet is waited for, however long. What waiting does not mend, such as a
 * wrong password or a Redis that keeps nothing, is an error at once. Null when it was told to wait no longer.
 */
export async function awaitRedis(url: string, options: AwaitOptions): Promise<Connected | null> {
  const { signal, onAway = () => undefined, onThere = () => undefined } = options;
  const place = placeOf(url);
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      const connected = await attempt(url, options);
      if (tries > 0) onThere(place);
      return connected;
    } catch (error) {
      if (signal.aborted) return null;
      const cause = error instanceof Error ? error.cause : undefined;
      if (!isPassing(error, cause)) throw error;
      if (tries === 0) onAway(place, whyNot(cause));
    }
    const pauseMs = Math.min(pauseMaxMs, pauseMinMs * 2 ** tries);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return null;
}

async function attempt(url: string, { signal, ...durability }: AwaitOptions): Promise<Connected> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]);
  const connected = await connectRedis(url, { waitMs: Number.POSITIVE_INFINITY, signal: over });
  const { redis, place, close } = connected;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => {
    reject(new StoreError('busy', place, 'it gives no answer', over.reason));
    // Whoever still waits for an answer is told that there is none.
    redis.disconnect();
  };
  over.addEventListener('abort', giveUp, { once: true });
  try {
    await Promise.race([checkDurability(redis, place, durability), late]);
    return connected;
  } catch (error) {
    await close();
    throw error;
  } finally {
    over.removeEventListener('abort', giveUp);
  }
}

/** Not there, not yet, or not reachable by the way there is now; a name may be known only once its machine runs. */
const passingCodes: ReadonlySet<unknown> = new Set([
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

const passingWords =
  /^(?:LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY)\b|max number of clients|Connection is closed|Failed to refresh slots cache/;

function isPassing(error: unknown, cause: unknown): boolean {
  if (error instanceof StoreError && error.code === 'busy') return true;
  if (!(cause instanceof Error)) return false;
  if (cause.name === 'TimeoutError') return true;
  return passingCodes.has('code' in cause ? cause.code : null) || passingWords.test(cause.message);
}
