import { randomUUID } from 'node:crypto';
import {
  StoreError,
  storeOn,
  type CommandChannel,
  type Damage,
  type KeptEvent,
  type Store,
  type Verified,
} from '@pawl/runtime';
import { commandChannel } from '../commands/channel.ts';
import { named } from '../named.ts';
import type { RedisClient } from '../redis-client.ts';
import { Draft, Unnumbered, Unread, type Change } from './draft.ts';
import { placeAfter } from './place.ts';
import { accessTo, type Looked, type SessionAccess } from './session-access.ts';
import type { Acknowledged, Sight } from './sight.ts';

export type RedisStoreOptions = {
  /** What all keys begin with: several stores may share one Redis. */
  readonly prefix?: string;
  /** What is done with the connection when the store is closed. */
  readonly onClose?: () => Promise<void>;
};

export const defaultPrefix = 'pawl';

/** A store in Redis, by the same rules as every other. */
export function redisStore(redis: RedisClient, options: RedisStoreOptions = {}): Store {
  const { prefix = defaultPrefix, onClose = async () => undefined } = options;
  const commands = commandChannel(redis, prefix);
  const access = accessTo(redis, prefix);
  const work = new Transactions(access, commands);
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
 * What has to be read before the rules can begin. What is known may be out of date: that turns out when it is written. What
 * is read as it is need not be as long as it was. For a claim all is read, and a number is drawn in the same go.
 */
type Reading = 'nothing' | 'known' | 'as-it-is' | 'claim' | 'whole';

type Outcome<Result> =
  | { readonly ok: true; readonly value: Result }
  | { readonly ok: false; readonly error: unknown };

/** Of those that contend for one session one always succeeds; so often in a row nobody fails but by a fault. */
const triesMax = 100;

/** Far more sessions than one process works on. */
const rememberedMax = 10_000;

type Known = { readonly acknowledged: Acknowledged; readonly sight: Sight | null };

class Transactions {
  readonly #access: SessionAccess;
  readonly #commands: CommandChannel;
  /** How far Redis said each session is kept, for those this process has changed; and what it looked like then. */
  readonly #known = new Map<string, Known>();

  constructor(access: SessionAccess, commands: CommandChannel) {
    this.#access = access;
    this.#commands = commands;
  }

  /** Reads, applies the rules, writes; all anew if somebody else has changed the session meanwhile. */
  async on<Result>(id: string, reading: Reading, rules: (store: Store) => Promise<Result>): Promise<Result> {
    const token = randomUUID();
    const [seen, drawn] = await Promise.all([this.#first(id, reading), this.#draw(reading)]);
    let sight = seen;
    let fence = fenceAbove(seen, drawn);
    for (let tries = 0; tries < triesMax; tries += 1) {
      const draft = new Draft(sight, fence);
      const outcome = await outcomeOf(rules(storeOn(draft, this.#commands)));
      const problem = outcome.ok ? null : outcome.error;
      if (problem instanceof Unread && sight !== null) {
        await this.#access.readOn(sight, { from: problem.from, to: sight.row.head });
        continue;
      }
      if (problem instanceof Unnumbered) {
        fence = await this.#access.nextFence(sight === null ? 0 : sight.row.fence);
        continue;
      }
      const written = await this.#write(id, sight, { draft, token });
      if (written === 'done') return valueOf(outcome);
      if (written === 'broken') return this.#broken(id);
      sight = await this.#look(id, reading);
      // The answer got lost, and what was written is what is there.
      if (sight !== null && sight.token === token) return valueOf(outcome);
      fence = null;
    }
    throw new StoreError('busy', named(id), `it was changed by others ${triesMax} times meanwhile`);
  }

  async verify(id: string): Promise<Verified> {
    try {
      return await this.on(id, 'whole', (store) => store.verify(id));
    } catch (error) {
      if (error instanceof Shortened) return { ok: false, ...error.damage };
      throw error;
    }
  }

  async *events(id: string, after: number): AsyncGenerator<KeptEvent, void, undefined> {
    let at = after;
    const sight = await this.#look(id, 'as-it-is');
    for (;;) {
      const draft = new Draft(sight, null);
      try {
        for await (const kept of storeOn(draft, this.#commands).events(id, at)) {
          at = kept.seq;
          yield kept;
        }
        return;
      } catch (error) {
        if (!(error instanceof Unread) || sight === null) {
          // What was found damaged is marked, if it is still that session.
          await this.#write(id, sight, { draft, token: randomUUID() });
          throw error;
        }
        forgetBefore(sight, at);
        await this.#access.readOn(sight, error);
      }
    }
  }

  async list(limit: number): Promise<Awaited<ReturnType<Store['list']>>> {
    const draft = new Draft(null, null, await this.#access.list(limit));
    return storeOn(draft, this.#commands).list({ limit });
  }

  async #draw(reading: Reading): Promise<number | null> {
    return reading === 'claim' ? this.#access.nextFence(0) : null;
  }

  async #first(id: string, reading: Reading): Promise<Sight | null> {
    if (reading === 'nothing') return null;
    const known = reading === 'known' ? (this.#known.get(id)?.sight ?? null) : null;
    return known ?? this.#look(id, reading);
  }

  /** Reads a session. One that is shorter than Redis has said, or went on differently, is kept apart. */
  async #look(id: string, reading: Reading): Promise<Sight | null> {
    const known = this.#known.get(id)?.acknowledged ?? null;
    const looked = await this.#access.look(id, reading === 'whole' || reading === 'claim', known);
    if (looked === null) return null;
    const loss = reading === 'as-it-is' ? null : lossIn(looked, known);
    return loss === null ? looked.sight : this.#keepApart(id, looked.sight, loss);
  }

  async #keepApart(id: string, sight: Sight, { reason, known }: Loss): Promise<never> {
    await this.#access.keepAcknowledged(id, known);
    const draft = new Draft(sight, null);
    if (sight.row.damage === null) draft.update({ ...sight.row, damage: reason });
    await this.#write(id, sight, { draft, token: randomUUID() });
    throw new Shortened(id, { seq: sight.row.head + 1, reason });
  }

  async #write(
    id: string,
    sight: Sight | null,
    { draft, token }: { draft: Draft; token: string },
  ): Promise<'done' | 'elsewhere' | 'broken'> {
    const { change } = draft;
    if (change.kind === 'none') return 'done';
    const written = await this.#access.write({ id, sight, change, token });
    const known = this.#known.get(id);
    // What it looked like is out of date; how far it had come is not.
    if (written !== 'done' && known !== undefined) this.#known.set(id, { ...known, sight: null });
    if (written !== 'done') return written;
    this.#known.delete(id);
    if (change.kind === 'remove') return written;
    this.#remember(id, knownAfter(sight, change, token));
    return written;
  }

  #remember(id: string, known: Known): void {
    this.#known.set(id, known);
    if (this.#known.size <= rememberedMax) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  /** The log does not end where the session says: looking at it finds out where, and marks it. */
  async #broken(id: string): Promise<never> {
    const verified = await this.verify(id);
    const reason = verified.ok ? 'its log does not end where it should' : verified.reason;
    throw new StoreError('damaged', named(id), reason);
  }
}

/** Where the count of claims was lost, the number is not above that of the last claim: then another has to be drawn. */
function fenceAbove(sight: Sight | null, drawn: number | null): number | null {
  return sight !== null && drawn !== null && drawn > sight.row.fence ? drawn : null;
}

/** What is known of a session that was just written. */
function knownAfter(
  sight: Sight | null,
  { row, initial, events }: Extract<Change, { kind: 'write' }>,
  token: string,
): Known {
  const before = sight ?? {
    born: String(row.fence),
    rev: '0',
    initial: '',
    acknowledged: null,
    placedAt: null,
  };
  const after: Sight = {
    ...before,
    row,
    rev: String(Number(before.rev) + 1),
    token,
    initial: initial ?? before.initial,
    placedAt: events.length > 0 || sight === null ? placeAfter(before.placedAt, row) : before.placedAt,
    stray: null,
    snapshot: undefined,
    events: new Map(),
    ranges: [],
  };
  const acknowledged = { born: before.born, head: row.head, hash: row.hash };
  return { acknowledged, sight: row.damage === null ? after : null };
}

/** Found shorter than it was. */
class Shortened extends StoreError {
  readonly damage: Damage;

  constructor(id: string, damage: Damage) {
    super('damaged', named(id), damage.reason);
    this.damage = damage;
  }
}

async function outcomeOf<Result>(work: Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    return { ok: false, error };
  }
}

function valueOf<Result>(outcome: Outcome<Result>): Result {
  if (outcome.ok) return outcome.value;
  throw outcome.error;
}

type Loss = { readonly reason: string; readonly known: Acknowledged };

/** What is missing of what Redis has said is kept, to this process or to another: a failover can lose it. Null for nothing. */
function lossIn({ sight, hashAt }: Looked, ours: Acknowledged | null): Loss | null {
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

/** So that a long log is never in memory as a whole. */
function forgetBefore(sight: Sight, seq: number): void {
  for (const number of sight.events.keys()) if (number < seq) sight.events.delete(number);
  const kept = sight.events.has(seq) ? [{ from: seq, to: seq }] : [];
  sight.ranges.splice(0, sight.ranges.length, ...kept);
}
