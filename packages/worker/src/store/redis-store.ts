import { randomUUID } from 'node:crypto';
import {
  StoreError,
  createRowStore,
  type CommandChannel,
  type LogDamage,
  type StoredEvent,
  type Store,
  type VerificationResult,
} from '@pawl/runtime';
import { createRedisCommandChannel } from '../commands/channel.ts';
import { formatSessionLabel } from '../session-label.ts';
import type { RedisClient } from '../redis-client.ts';
import {
  BufferedRows,
  FenceNotDrawnError,
  EventsNotLoadedError,
  type SessionChange,
} from './buffered-rows.ts';
import { computeListScore } from './list-score.ts';
import { createSessionAccess, type LoadResult, type SessionAccess } from './session-access.ts';
import type { AcknowledgedHead, LoadedSession } from './loaded-session.ts';

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
  const work = new SessionTransactions(access, commands);
  return {
    commands,
    claims: (id) => access.claims(id),
    create: (session, owner, more) =>
      work.on(session.id, 'nothing', (store) => store.create(session, owner, more)),
    claim: (id, owner, from) => work.on(id, 'claim', (store) => store.claim(id, owner, from)),
    open: (id, more) => work.on(id, 'whole', (store) => store.open(id, more)),
    append: (id, at, events, after) => work.on(id, 'known', (store) => store.append(id, at, events, after)),
    events: (id, after = 0) => work.events(id, after),
    snapshot: (id) => work.on(id, 'whole', (store) => store.snapshot(id)),
    verify: (id) => work.verify(id),
    list: (more) => work.list(more?.limit ?? 1_000),
    remove: (id) => work.on(id, 'as-it-is', (store) => store.remove(id)),
    close: onClose,
  };
}

/**
 * What to load before the rules run. `known` may use a stale cached session, which the write detects. `as-it-is` skips
 * the check for lost events. `claim` loads everything and draws a fence concurrently.
 */
type ReadMode = 'nothing' | 'known' | 'as-it-is' | 'claim' | 'whole';

type AttemptOutcome<Result> =
  | { readonly ok: true; readonly value: Result }
  | { readonly ok: false; readonly error: unknown };

/** Of several contenders for one session one always succeeds, so this many failures in a row mean a fault. */
const transactionAttemptsMax = 100;

/** Far more sessions than one process runs. */
const cachedSessionsMax = 10_000;

type CachedSession = { readonly acknowledged: AcknowledgedHead; readonly sight: LoadedSession | null };

class SessionTransactions {
  readonly #access: SessionAccess;
  readonly #commands: CommandChannel;
  /** For sessions that this process changed: the acknowledged head, and the loaded state after that change. */
  readonly #known = new Map<string, CachedSession>();

  constructor(access: SessionAccess, commands: CommandChannel) {
    this.#access = access;
    this.#commands = commands;
  }

  /** Loads, applies the rules and writes; starts over if another process has changed the session meanwhile. */
  async on<Result>(id: string, reading: ReadMode, rules: (store: Store) => Promise<Result>): Promise<Result> {
    const token = randomUUID();
    const [seen, drawn] = await Promise.all([this.#first(id, reading), this.#draw(reading)]);
    let sight = seen;
    let fence = selectValidFence(seen, drawn);
    for (let tries = 0; tries < transactionAttemptsMax; tries += 1) {
      const draft = new BufferedRows(sight, fence);
      const outcome = await captureOutcome(rules(createRowStore(draft, this.#commands)));
      const problem = outcome.ok ? null : outcome.error;
      if (problem instanceof EventsNotLoadedError && sight !== null) {
        await this.#access.readOn(sight, { from: problem.from, to: sight.row.head });
        continue;
      }
      if (problem instanceof FenceNotDrawnError) {
        fence = await this.#access.nextFence(sight === null ? 0 : sight.row.fence);
        continue;
      }
      const written = await this.#write(id, sight, { draft, token });
      if (written === 'done') return unwrapOutcome(outcome);
      if (written === 'broken') return this.#broken(id);
      sight = await this.#look(id, reading);
      // The reply was lost, but our write is the one stored.
      if (sight !== null && sight.token === token) return unwrapOutcome(outcome);
      fence = null;
    }
    throw new StoreError(
      'busy',
      formatSessionLabel(id),
      `it was changed by others ${transactionAttemptsMax} times meanwhile`,
    );
  }

  async verify(id: string): Promise<VerificationResult> {
    try {
      return await this.on(id, 'whole', (store) => store.verify(id));
    } catch (error) {
      if (error instanceof LogShortenedError) return { ok: false, ...error.damage };
      throw error;
    }
  }

  async *events(id: string, after: number): AsyncGenerator<StoredEvent, void, undefined> {
    let at = after;
    const sight = await this.#look(id, 'as-it-is');
    for (;;) {
      const draft = new BufferedRows(sight, null);
      try {
        for await (const kept of createRowStore(draft, this.#commands).events(id, at)) {
          at = kept.seq;
          yield kept;
        }
        return;
      } catch (error) {
        if (!(error instanceof EventsNotLoadedError) || sight === null) {
          // Record the damage, if the session has not changed meanwhile.
          await this.#write(id, sight, { draft, token: randomUUID() });
          throw error;
        }
        dropEventsBelow(sight, at);
        await this.#access.readOn(sight, error);
      }
    }
  }

  async list(limit: number): Promise<Awaited<ReturnType<Store['list']>>> {
    const draft = new BufferedRows(null, null, await this.#access.list(limit));
    return createRowStore(draft, this.#commands).list({ limit });
  }

  async #draw(reading: ReadMode): Promise<number | null> {
    return reading === 'claim' ? this.#access.nextFence(0) : null;
  }

  async #first(id: string, reading: ReadMode): Promise<LoadedSession | null> {
    if (reading === 'nothing') return null;
    const known = reading === 'known' ? (this.#known.get(id)?.sight ?? null) : null;
    return known ?? this.#look(id, reading);
  }

  /** Loads a session. If its log is shorter than acknowledged or has diverged, it is marked as damaged. */
  async #look(id: string, reading: ReadMode): Promise<LoadedSession | null> {
    const known = this.#known.get(id)?.acknowledged ?? null;
    const looked = await this.#access.look(id, reading === 'whole' || reading === 'claim', known);
    if (looked === null) return null;
    const loss = reading === 'as-it-is' ? null : findLogLoss(looked, known);
    return loss === null ? looked.sight : this.#keepApart(id, looked.sight, loss);
  }

  async #keepApart(id: string, sight: LoadedSession, { reason, known }: LogLoss): Promise<never> {
    await this.#access.keepAcknowledged(id, known);
    const draft = new BufferedRows(sight, null);
    if (sight.row.damage === null) draft.update({ ...sight.row, damage: reason });
    await this.#write(id, sight, { draft, token: randomUUID() });
    throw new LogShortenedError(id, { seq: sight.row.head + 1, reason });
  }

  async #write(
    id: string,
    sight: LoadedSession | null,
    { draft, token }: { draft: BufferedRows; token: string },
  ): Promise<'done' | 'elsewhere' | 'broken'> {
    const { change } = draft;
    if (change.kind === 'none') return 'done';
    const written = await this.#access.write({ id, sight, change, token });
    const known = this.#known.get(id);
    // The cached state is stale, but the acknowledged head is still valid.
    if (written !== 'done' && known !== undefined) this.#known.set(id, { ...known, sight: null });
    if (written !== 'done') return written;
    this.#known.delete(id);
    if (change.kind === 'remove') return written;
    this.#remember(id, toCachedSession(sight, change, token));
    return written;
  }

  #remember(id: string, known: CachedSession): void {
    this.#known.set(id, known);
    if (this.#known.size <= cachedSessionsMax) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  /** The log does not end at the session's head: verification finds the damage and records it. */
  async #broken(id: string): Promise<never> {
    const verified = await this.verify(id);
    const reason = verified.ok ? 'its log does not end where it should' : verified.reason;
    throw new StoreError('damaged', formatSessionLabel(id), reason);
  }
}

/** If the fence counter was lost, the drawn fence is not above that of the last claim, and another must be drawn. */
function selectValidFence(sight: LoadedSession | null, drawn: number | null): number | null {
  return sight !== null && drawn !== null && drawn > sight.row.fence ? drawn : null;
}

/** Builds the cache entry of a session that was just written. */
function toCachedSession(
  sight: LoadedSession | null,
  { row, initial, events }: Extract<SessionChange, { kind: 'write' }>,
  token: string,
): CachedSession {
  const before = sight ?? {
    born: String(row.fence),
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
    placedAt: events.length > 0 || sight === null ? computeListScore(before.placedAt, row) : before.placedAt,
    stray: null,
    snapshot: undefined,
    events: new Map(),
    ranges: [],
  };
  const acknowledged = { born: before.born, head: row.head, hash: row.hash };
  return { acknowledged, sight: row.damage === null ? after : null };
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
function findLogLoss({ sight, hashAt }: LoadResult, ours: AcknowledgedHead | null): LogLoss | null {
  const known = ours !== null && ours.born === sight.born ? ours : sight.acknowledged;
  if (known === null) return null;
  const { row } = sight;
  const { head, hash } = known;
  if (row.head < head) {
    const reason = `its log ends at event ${row.head}, and event ${head} was acknowledged: Redis has lost what came after`;
    return { reason, known };
  }
  const hashNow = row.head === head ? row.hash : known === ours ? hashAt : null;
  if (hashNow === null || hashNow === hash) return null;
  const reason = `event ${head} is not the one that was acknowledged: Redis had lost it, and somebody went on without it`;
  return { reason, known };
}

/** Drops events already read, so that a long log is never fully in memory. */
function dropEventsBelow(sight: LoadedSession, seq: number): void {
  for (const number of sight.events.keys()) if (number < seq) sight.events.delete(number);
  const kept = sight.events.has(seq) ? [{ from: seq, to: seq }] : [];
  sight.ranges.splice(0, sight.ranges.length, ...kept);
}
