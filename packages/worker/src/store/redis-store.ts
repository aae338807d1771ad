import { randomUUID } from 'node:crypto';
import type { CommandChannel } from '@pawl/runtime/commands';
import {
  formatSessionLabel,
  StoreError,
  createRowStore,
  type LogDamage,
  type StoredEvent,
  type Store,
  type VerificationResult,
} from '@pawl/runtime/store';
import { createRedisCommandChannel } from './command-channel.ts';
import { computeListScore } from './keys.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import {
  BufferedRows,
  FenceNotDrawnError,
  EventsNotLoadedError,
  type SessionChange,
} from './buffered-rows.ts';
import { createSessionAccess, type LoadResult, type SessionAccess } from './session-access.ts';
import type { AcknowledgedHead, LoadedSession } from './loaded-session.ts';
import { connectRedis, type RedisConnection, type ConnectRedisOptions } from '../redis/connect-redis.ts';
import { checkDurability, type DurabilityOptions } from '../redis/durability.ts';

export type RedisStoreOptions = {
  /** Prefix of all keys, so that several stores can share one Redis. */
  readonly prefix?: string;
  /** Called when the store is closed, to close the connection. */
  readonly onClose?: () => Promise<void>;
};

export const defaultPrefix = 'pawl';

/** A store in Redis, with the same rules as every other store. */
export function createRedisStore(redis: RedisClient, options: RedisStoreOptions = {}): Store {
  const { prefix = defaultPrefix, onClose = async () => undefined } = options;
  const commands = createRedisCommandChannel(redis, prefix);
  const access = createSessionAccess(redis, prefix);
  const transactions = new SessionTransactions(access, commands);
  return {
    commands,
    claims: (id) => access.claims(id),
    create: (session, owner, more) =>
      transactions.run(session.id, 'none', (store) => store.create(session, owner, more)),
    claim: (id, owner, from) => transactions.run(id, 'claim', (store) => store.claim(id, owner, from)),
    open: (id, more) => transactions.run(id, 'full', (store) => store.open(id, more)),
    append: (id, at, events, after) =>
      transactions.run(id, 'cached', (store) => store.append(id, at, events, after)),
    events: (id, after = 0) => transactions.events(id, after),
    snapshot: (id) => transactions.run(id, 'full', (store) => store.snapshot(id)),
    verify: (id) => transactions.verify(id),
    list: (more) => transactions.list(more?.limit ?? 1_000),
    remove: (id) => transactions.run(id, 'unchecked', (store) => store.remove(id)),
    close: onClose,
  };
}

/**
 * What to load before the rules run. `cached` may use a stale cached session, which the write detects. `unchecked` skips
 * the check for lost events. `claim` loads everything and draws a fence concurrently.
 */
type ReadMode = 'none' | 'cached' | 'unchecked' | 'claim' | 'full';

type AttemptOutcome<Result> =
  | { readonly ok: true; readonly value: Result }
  | { readonly ok: false; readonly error: unknown };

/** Of several contenders for one session one always succeeds, so this many failures in a row mean a fault. */
const transactionAttemptsMax = 100;

/** Far more sessions than one process runs. */
const cachedSessionsMax = 10_000;

type CachedSession = { readonly acknowledged: AcknowledgedHead; readonly loaded: LoadedSession | null };

class SessionTransactions {
  readonly #access: SessionAccess;
  readonly #commands: CommandChannel;
  /** For sessions that this process changed: the acknowledged head, and the loaded state after that change. */
  readonly #cache = new Map<string, CachedSession>();

  constructor(access: SessionAccess, commands: CommandChannel) {
    this.#access = access;
    this.#commands = commands;
  }

  /** Loads, applies the rules and writes; starts over if another process has changed the session meanwhile. */
  async run<Result>(id: string, mode: ReadMode, rules: (store: Store) => Promise<Result>): Promise<Result> {
    const token = randomUUID();
    const [first, drawn] = await Promise.all([this.#loadFirst(id, mode), this.#drawFence(mode)]);
    let loaded = first;
    let fence = selectValidFence(first, drawn);
    for (let tries = 0; tries < transactionAttemptsMax; tries += 1) {
      const draft = new BufferedRows(loaded, fence);
      const outcome = await captureOutcome(rules(createRowStore(draft, this.#commands)));
      const problem = outcome.ok ? null : outcome.error;
      if (problem instanceof EventsNotLoadedError && loaded !== null) {
        await this.#access.loadEvents(loaded, { from: problem.from, to: loaded.row.head });
        continue;
      }
      if (problem instanceof FenceNotDrawnError) {
        fence = await this.#access.nextFence(loaded === null ? 0 : loaded.row.fence);
        continue;
      }
      const written = await this.#write(id, loaded, { draft, token });
      if (written === 'done') return unwrapOutcome(outcome);
      if (written === 'damaged') return this.#throwLogDamage(id);
      loaded = await this.#load(id, mode);
      // The reply was lost, but our write is the one stored.
      if (loaded !== null && loaded.token === token) return unwrapOutcome(outcome);
      fence = null;
    }
    throw new StoreError(
      'busy',
      formatSessionLabel(id),
      `other processes changed it ${transactionAttemptsMax} times in the meantime`,
    );
  }

  async verify(id: string): Promise<VerificationResult> {
    try {
      return await this.run(id, 'full', (store) => store.verify(id));
    } catch (error) {
      if (error instanceof LogShortenedError) return { ok: false, ...error.damage };
      throw error;
    }
  }

  async *events(id: string, after: number): AsyncGenerator<StoredEvent, void, undefined> {
    let at = after;
    const loaded = await this.#load(id, 'unchecked');
    for (;;) {
      const draft = new BufferedRows(loaded, null);
      try {
        for await (const kept of createRowStore(draft, this.#commands).events(id, at)) {
          at = kept.seq;
          yield kept;
        }
        return;
      } catch (error) {
        if (!(error instanceof EventsNotLoadedError) || loaded === null) {
          // Record the damage, if the session has not changed meanwhile.
          await this.#write(id, loaded, { draft, token: randomUUID() });
          throw error;
        }
        dropEventsBelow(loaded, at);
        await this.#access.loadEvents(loaded, error);
      }
    }
  }

  async list(limit: number): Promise<Awaited<ReturnType<Store['list']>>> {
    const draft = new BufferedRows(null, null, await this.#access.list(limit));
    return createRowStore(draft, this.#commands).list({ limit });
  }

  async #drawFence(mode: ReadMode): Promise<number | null> {
    return mode === 'claim' ? this.#access.nextFence(0) : null;
  }

  async #loadFirst(id: string, mode: ReadMode): Promise<LoadedSession | null> {
    if (mode === 'none') return null;
    const known = mode === 'cached' ? (this.#cache.get(id)?.loaded ?? null) : null;
    return known ?? this.#load(id, mode);
  }

  /** Loads a session. If its log is shorter than acknowledged or has diverged, it is marked as damaged. */
  async #load(id: string, mode: ReadMode): Promise<LoadedSession | null> {
    const known = this.#cache.get(id)?.acknowledged ?? null;
    const result = await this.#access.load(id, mode === 'full' || mode === 'claim', known);
    if (result === null) return null;
    const loss = mode === 'unchecked' ? null : findLogLoss(result, known);
    return loss === null ? result.loaded : this.#markDamaged(id, result.loaded, loss);
  }

  async #markDamaged(id: string, loaded: LoadedSession, { reason, known }: LogLoss): Promise<never> {
    await this.#access.saveAcknowledgedHead(id, known);
    const draft = new BufferedRows(loaded, null);
    if (loaded.row.damage === null) draft.update({ ...loaded.row, damage: reason });
    await this.#write(id, loaded, { draft, token: randomUUID() });
    throw new LogShortenedError(id, { seq: loaded.row.head + 1, reason });
  }

  async #write(
    id: string,
    loaded: LoadedSession | null,
    { draft, token }: { draft: BufferedRows; token: string },
  ): Promise<'done' | 'conflict' | 'damaged'> {
    const { change } = draft;
    if (change.kind === 'none') return 'done';
    const written = await this.#access.write({ id, loaded, change, token });
    const known = this.#cache.get(id);
    // The cached state is stale, but the acknowledged head is still valid.
    if (written !== 'done' && known !== undefined) this.#cache.set(id, { ...known, loaded: null });
    if (written !== 'done') return written;
    this.#cache.delete(id);
    if (change.kind === 'remove') return written;
    this.#addToCache(id, toCachedSession(loaded, change, token));
    return written;
  }

  #addToCache(id: string, known: CachedSession): void {
    this.#cache.set(id, known);
    if (this.#cache.size <= cachedSessionsMax) return;
    const [oldest] = this.#cache.keys();
    if (oldest !== undefined) this.#cache.delete(oldest);
  }

  /** The log does not end at the session's head: verification finds the damage and records it. */
  async #throwLogDamage(id: string): Promise<never> {
    const verified = await this.verify(id);
    const reason = verified.ok ? 'its log does not end at its head' : verified.reason;
    throw new StoreError('damaged', formatSessionLabel(id), reason);
  }
}

/** If the fence counter was lost, the drawn fence is not above that of the last claim, and another must be drawn. */
function selectValidFence(loaded: LoadedSession | null, drawn: number | null): number | null {
  return loaded !== null && drawn !== null && drawn > loaded.row.fence ? drawn : null;
}

/** Builds the cache entry of a session that was just written. */
function toCachedSession(
  loaded: LoadedSession | null,
  { row, initial, events }: Extract<SessionChange, { kind: 'write' }>,
  token: string,
): CachedSession {
  const before = loaded ?? {
    createdFence: String(row.fence),
    rev: '0',
    initial: '',
    acknowledged: null,
    placedAt: null,
  };
  const after: LoadedSession = {
    ...before,
    row,
    rev: String(Number(before.rev) + 1),
    token,
    initial: initial ?? before.initial,
    placedAt: events.length > 0 || loaded === null ? computeListScore(before.placedAt, row) : before.placedAt,
    eventAfterHead: null,
    snapshot: undefined,
    events: new Map(),
    ranges: [],
  };
  const acknowledged = { born: before.createdFence, head: row.head, hash: row.hash };
  return { acknowledged, loaded: row.damage === null ? after : null };
}

/** The log is shorter than it was. */
class LogShortenedError extends StoreError {
  readonly damage: LogDamage;

  constructor(id: string, damage: LogDamage) {
    super('damaged', formatSessionLabel(id), damage.reason);
    this.damage = damage;
  }
}

async function captureOutcome<Result>(work: Promise<Result>): Promise<AttemptOutcome<Result>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    return { ok: false, error };
  }
}

function unwrapOutcome<Result>(outcome: AttemptOutcome<Result>): Result {
  if (outcome.ok) return outcome.value;
  throw outcome.error;
}

type LogLoss = { readonly reason: string; readonly known: AcknowledgedHead };

/**
 * Finds acknowledged events that are missing, whether acknowledged to this process or another; a failover can lose
 * them. Null if there are none.
 */
function findLogLoss({ loaded, hashAt }: LoadResult, own: AcknowledgedHead | null): LogLoss | null {
  const known = own !== null && own.born === loaded.createdFence ? own : loaded.acknowledged;
  if (known === null) return null;
  const { row } = loaded;
  const { head, hash } = known;
  if (row.head < head) {
    const reason = `its log ends at event ${row.head}, but event ${head} was acknowledged: Redis has lost the later events`;
    return { reason, known };
  }
  const hashNow = row.head === head ? row.hash : known === own ? hashAt : null;
  if (hashNow === null || hashNow === hash) return null;
  const reason = `event ${head} is not the one that was acknowledged: Redis had lost it, and another process continued without it`;
  return { reason, known };
}

/** Drops events already read, so that a long log is never fully in memory. */
function dropEventsBelow(loaded: LoadedSession, seq: number): void {
  for (const number of loaded.events.keys()) if (number < seq) loaded.events.delete(number);
  const kept = loaded.events.has(seq) ? [{ from: seq, to: seq }] : [];
  loaded.ranges.splice(0, loaded.ranges.length, ...kept);
}

export type OpenRedisStoreOptions = ConnectRedisOptions &
  DurabilityOptions & {
    /** Prefix of all keys; defaults to `pawl`. */
    readonly prefix?: string;
  };

/**
 * Opens a store in the Redis at an address such as redis://user:password@host:6379/0, after checking its durability.
 */
export async function openRedisStore(url: string, options: OpenRedisStoreOptions = {}): Promise<Store> {
  const { redis, close } = await connectDurableRedis(url, options);
  const { prefix } = options;
  return createRedisStore(redis, { onClose: close, ...(prefix !== undefined && { prefix }) });
}

/** Connects to Redis and checks its durability. */
export async function connectDurableRedis(
  url: string,
  options: ConnectRedisOptions & DurabilityOptions = {},
): Promise<RedisConnection> {
  const connected = await connectRedis(url, options);
  try {
    await checkDurability(connected.redis, connected.address, options);
    return connected;
  } catch (error) {
    await connected.close();
    throw error;
  }
}
