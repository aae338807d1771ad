import { StoreError, type Claim, type EventRow, type SessionRow } from '@pawl/runtime';
import type { RedisClient } from '../redis-client.ts';
import { translated } from '../redis-error.ts';
import { claimText, readClaim } from './claims.ts';
import type { Change } from './draft.ts';
import { fenceKey, keysOf, listKey } from './keys.ts';
import { place, placeAfter } from './place.ts';
import { scriptOn } from './script.ts';
import { fenceScript, readScript, writeScript } from './scripts.ts';
import { toEvent, toRow, toSight, type Acknowledged, type Entry, type Sight, type Told } from './sight.ts';

/** So many events are read with a session; most have fewer since their last snapshot. */
const eventsAtOnce = 1_000;

/** How a change came out: done, or the session stands elsewhere, or its log does not end where it should. */
export type Written = 'done' | 'elsewhere' | 'broken';

export type Writing = {
  readonly id: string;
  readonly sight: Sight | null;
  readonly change: Exclude<Change, { kind: 'none' }>;
  readonly token: string;
};

/** Reads and writes sessions in Redis: what is where, and no rule about it. */
export type SessionAccess = {
  /** Null when there is no such session. `hashAt` is the hash of the event that was acknowledged, if it is there. */
  look(id: string, whole: boolean, known: Acknowledged | null): Promise<Looked | null>;
  /** Reads more events into what was read before: those asked for, or all that come after them as well. */
  readOn(sight: Sight, range: { readonly from: number; readonly to: number }): Promise<void>;
  write(writing: Writing): Promise<Written>;
  /** Keeps for everybody that the log was longer once. */
  keepAcknowledged(id: string, known: Acknowledged): Promise<void>;
  nextFence(above: number): Promise<number>;
  list(limit: number): Promise<readonly SessionRow[]>;
  claims(id: string): Promise<readonly Claim[]>;
};

export type Looked = { readonly sight: Sight; readonly hashAt: string | null };

export function accessTo(redis: RedisClient, prefix: string): SessionAccess {
  const read = scriptOn(redis, readScript);
  const write = scriptOn(redis, writeScript);
  const fence = scriptOn(redis, fenceScript);
  const list = listKey(prefix);
  return {
    look: (id, whole, known) =>
      translated(async () => {
        const keys = keysOf(prefix, id);
        const limit = whole ? eventsAtOnce : 0;
        const told = await read([keys.session, keys.log, keys.snapshot], [known?.head ?? 0, limit]);
        if (told === null) return null;
        const sight = toSight(id, told as Told, limit);
        return { sight, hashAt: (told as Told)[2].map(toEvent)[0]?.hash ?? null };
      }),
    readOn: (sight, range) => translated(() => readOn(redis, keysOf(prefix, sight.row.id).log, sight, range)),
    write: (writing) =>
      translated(async () => {
        const { id, change } = writing;
        const { session, log, snapshot, commands, claims, ...rest } = keysOf(prefix, id);
        const removed = change.kind === 'remove' ? Object.values(rest) : [];
        const writes = write(
          [session, log, snapshot, commands, claims, ...removed],
          change.kind === 'remove' ? [...standing(writing), 'remove'] : argumentsOf(writing, change),
        );
        // Where it is not done, the place in the list is one that the next change corrects.
        const isMoved =
          change.kind === 'write' && change.events.length > 0 && movesInList(writing.sight, change.row);
        const [code] = await Promise.all([writes, isMoved ? place(redis, list, change.row) : null]);
        if (code !== 1) return code === 0 ? 'elsewhere' : 'broken';
        if (change.kind === 'remove') await redis.zrem(list, id);
        else if (writing.sight === null) await place(redis, list, change.row);
        return 'done';
      }),
    keepAcknowledged: (id, known) =>
      translated(async () => {
        await redis.hset(keysOf(prefix, id).session, 'acknowledged', JSON.stringify(known));
      }),
    nextFence: (above) => translated(async () => Number(await fence([fenceKey(prefix)], [above]))),
    list: (limit) => translated(() => listed(redis, prefix, limit)),
    claims: (id) =>
      translated(async () => {
        const kept = await redis.lrange(keysOf(prefix, id).claims, 0, -1);
        return kept.flatMap((line) => readClaim(line) ?? []);
      }),
  };
}

async function readOn(
  redis: RedisClient,
  log: string,
  sight: Sight,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  for (let next = from; next <= to;) {
    const count = Math.min(eventsAtOnce, to - next + 1);
    const events: readonly EventRow[] = ((await redis.xrange(log, next, to, 'COUNT', count)) as Entry[]).map(
      toEvent,
    );
    for (const event of events) sight.events.set(event.seq, event);
    if (events.length < count) break;
    next = (events.at(-1)?.seq ?? to) + 1;
  }
  sight.ranges.push({ from, to });
}

type Arguments = readonly (string | number)[];

function standing({ sight }: Writing): Arguments {
  return sight === null ? ['', '', ''] : [sight.row.fence, sight.row.head, sight.rev];
}

function argumentsOf(writing: Writing, change: Extract<Change, { kind: 'write' }>): Arguments {
  const { row, initial, events, snapshot, claim, commands } = change;
  const { fence, head, about, ...rest } = row;
  const fields = ['row', JSON.stringify(rest), 'fence', fence, 'head', head, 'from', row.snapshotHead];
  fields.push('token', writing.token);
  if (initial !== null) fields.push('initial', initial, 'born', fence, 'first', headIn(row, events));
  if (initial !== null && about !== null) fields.push('about', about);
  const kept = snapshot === null ? '' : JSON.stringify(snapshot);
  const numbered = events.flatMap(({ seq, hash, text }) => [seq, hash, text]);
  return [
    ...standing(writing),
    'write',
    fields.length / 2,
    ...fields,
    kept,
    claimText(claim),
    commands.length,
    ...commands,
    ...numbered,
  ];
}

function movesInList(sight: Sight | null, row: SessionRow): boolean {
  return sight !== null && placeAfter(sight.placedAt, row) !== sight.placedAt;
}

/** The number that a new session begins after. */
function headIn(row: SessionRow, events: readonly EventRow[]): number {
  return events[0] === undefined ? row.head : events[0].seq - 1;
}

async function listed(redis: RedisClient, prefix: string, limit: number): Promise<readonly SessionRow[]> {
  const rows: SessionRow[] = [];
  const key = listKey(prefix);
  for (let from = 0; rows.length < limit;) {
    const ids = await redis.zrevrange(key, from, from + Math.min(limit, eventsAtOnce) - 1);
    if (ids.length === 0) break;
    const found = await Promise.all(ids.map((id) => rowOf(redis, prefix, id)));
    rows.push(...found.filter((row) => row !== null));
    from += ids.length;
  }
  const byTime = rows.toSorted((a, b) => b.summary.updatedAt - a.summary.updatedAt || (a.id < b.id ? -1 : 1));
  return byTime.slice(0, limit);
}

/** Null where the list names a session that is gone. */
async function rowOf(redis: RedisClient, prefix: string, id: string): Promise<SessionRow | null> {
  const names = ['row', 'fence', 'head', 'about'];
  const values = await redis.hmget(keysOf(prefix, id).session, ...names);
  const fields = names.flatMap((name, index) => {
    const value = values[index] ?? null;
    return value === null ? [] : [[name, value] as const];
  });
  if (fields.length === 0) return null;
  try {
    return toRow(id, new Map(fields));
  } catch (error) {
    // One that cannot be read keeps nobody from seeing the others.
    if (error instanceof StoreError) return null;
    throw error;
  }
}
