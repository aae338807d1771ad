import { StoreError, type SessionClaim, type EventRow, type SessionRow } from '@pawl/runtime/store';
import { translateRedisErrors, createRedisScript, type RedisClient } from '../redis/redis-client.ts';
import type { SessionChange, NewClaim } from './buffered-rows.ts';
import {
  getFenceKey,
  buildSessionKeys,
  getSessionListKey,
  updateListScore,
  computeListScore,
} from './keys.ts';
import {
  parseEventRow,
  parseSessionRow,
  toLoadedSession,
  type AcknowledgedHead,
  type StreamEntry,
  type LoadedSession,
  type ReadReply,
} from './loaded-session.ts';

/** Number of events loaded with a session; most have fewer since their last snapshot. */
const eventsPerRead = 1_000;

/** The result of a write: done, the session has changed, or its log does not end at its head. */
export type WriteResult = 'done' | 'conflict' | 'damaged';

export type WriteRequest = {
  readonly id: string;
  readonly loaded: LoadedSession | null;
  readonly change: Exclude<SessionChange, { kind: 'none' }>;
  readonly token: string;
};

/** Reads and writes sessions in Redis, without enforcing rules. */
export type SessionAccess = {
  /** Resolves to null if the session does not exist. `hashAt` is the hash of the acknowledged event, if it exists. */
  load(id: string, whole: boolean, known: AcknowledgedHead | null): Promise<LoadResult | null>;
  /** Loads a range of events into a loaded session. */
  loadEvents(loaded: LoadedSession, range: { readonly from: number; readonly to: number }): Promise<void>;
  write(request: WriteRequest): Promise<WriteResult>;
  /** Records for all processes that the log was once longer. */
  saveAcknowledgedHead(id: string, known: AcknowledgedHead): Promise<void>;
  nextFence(above: number): Promise<number>;
  list(limit: number): Promise<readonly SessionRow[]>;
  claims(id: string): Promise<readonly SessionClaim[]>;
};

export type LoadResult = { readonly loaded: LoadedSession; readonly hashAt: string | null };

export function createSessionAccess(redis: RedisClient, prefix: string): SessionAccess {
  const read = createRedisScript(redis, readSessionScript);
  const write = createRedisScript(redis, writeSessionScript);
  const drawFence = createRedisScript(redis, nextFenceScript);
  const list = getSessionListKey(prefix);
  return {
    load: (id, whole, known) =>
      translateRedisErrors(async () => {
        const keys = buildSessionKeys(prefix, id);
        const limit = whole ? eventsPerRead : 0;
        const reply = await read([keys.session, keys.log, keys.snapshot], [known?.head ?? 0, limit]);
        if (reply === null) return null;
        const loaded = toLoadedSession(id, reply as ReadReply, limit);
        return { loaded, hashAt: (reply as ReadReply)[2].map(parseEventRow)[0]?.hash ?? null };
      }),
    loadEvents: (loaded, range) =>
      translateRedisErrors(() =>
        loadEventRange(redis, buildSessionKeys(prefix, loaded.row.id).log, loaded, range),
      ),
    write: (request) =>
      translateRedisErrors(async () => {
        const { id, change } = request;
        const { session, log, snapshot, commands, claims, ...rest } = buildSessionKeys(prefix, id);
        const removed = change.kind === 'remove' ? Object.values(rest) : [];
        const writes = write(
          [session, log, snapshot, commands, claims, ...removed],
          change.kind === 'remove'
            ? [...getExpectedVersion(request), 'remove']
            : toWriteArguments(request, change),
        );
        // If the write fails, the next change corrects the list score.
        const isMoved =
          change.kind === 'write' && change.events.length > 0 && changesListScore(request.loaded, change.row);
        const [code] = await Promise.all([writes, isMoved ? updateListScore(redis, list, change.row) : null]);
        if (code !== 1) return code === 0 ? 'conflict' : 'damaged';
        if (change.kind === 'remove') await redis.zrem(list, id);
        else if (request.loaded === null) await updateListScore(redis, list, change.row);
        return 'done';
      }),
    saveAcknowledgedHead: (id, known) =>
      translateRedisErrors(async () => {
        await redis.hset(buildSessionKeys(prefix, id).session, 'acknowledged', JSON.stringify(known));
      }),
    nextFence: (above) =>
      translateRedisErrors(async () => Number(await drawFence([getFenceKey(prefix)], [above]))),
    list: (limit) => translateRedisErrors(() => listSessionRows(redis, prefix, limit)),
    claims: (id) =>
      translateRedisErrors(async () => {
        const lines = await redis.lrange(buildSessionKeys(prefix, id).claims, 0, -1);
        return lines.flatMap((line) => parseClaim(line) ?? []);
      }),
  };
}

async function loadEventRange(
  redis: RedisClient,
  log: string,
  loaded: LoadedSession,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  for (let next = from; next <= to;) {
    const count = Math.min(eventsPerRead, to - next + 1);
    const events: readonly EventRow[] = (
      (await redis.xrange(log, next, to, 'COUNT', count)) as StreamEntry[]
    ).map(parseEventRow);
    for (const event of events) loaded.events.set(event.seq, event);
    if (events.length < count) break;
    next = (events.at(-1)?.seq ?? to) + 1;
  }
  loaded.ranges.push({ from, to });
}

type ScriptArguments = readonly (string | number)[];

function getExpectedVersion({ loaded }: WriteRequest): ScriptArguments {
  return loaded === null ? ['', '', ''] : [loaded.row.fence, loaded.row.head, loaded.rev];
}

function toWriteArguments(
  request: WriteRequest,
  change: Extract<SessionChange, { kind: 'write' }>,
): ScriptArguments {
  const { row, initial, events, snapshot, claim, commands } = change;
  const { fence, head, metadata, ...rest } = row;
  const fields = ['row', JSON.stringify(rest), 'fence', fence, 'head', head, 'from', row.snapshotHead];
  fields.push('token', request.token);
  if (initial !== null) fields.push('initial', initial, 'born', fence, 'first', getInitialHead(row, events));
  if (initial !== null && metadata !== null) fields.push('about', metadata);
  const snapshotText = snapshot === null ? '' : JSON.stringify(snapshot);
  const numbered = events.flatMap(({ seq, hash, text }) => [seq, hash, text]);
  return [
    ...getExpectedVersion(request),
    'write',
    fields.length / 2,
    ...fields,
    snapshotText,
    serializeClaim(claim),
    commands.length,
    ...commands,
    ...numbered,
  ];
}

function changesListScore(loaded: LoadedSession | null, row: SessionRow): boolean {
  return loaded !== null && computeListScore(loaded.placedAt, row) !== loaded.placedAt;
}

/** The number after which a new session's events begin. */
function getInitialHead(row: SessionRow, events: readonly EventRow[]): number {
  return events[0] === undefined ? row.head : events[0].seq - 1;
}

async function listSessionRows(
  redis: RedisClient,
  prefix: string,
  limit: number,
): Promise<readonly SessionRow[]> {
  const rows: SessionRow[] = [];
  const key = getSessionListKey(prefix);
  for (let from = 0; rows.length < limit;) {
    const ids = await redis.zrevrange(key, from, from + Math.min(limit, eventsPerRead) - 1);
    if (ids.length === 0) break;
    const batch = await Promise.all(ids.map((id) => readSessionRow(redis, prefix, id)));
    rows.push(...batch.filter((row) => row !== null));
    from += ids.length;
  }
  const byTime = rows.toSorted((a, b) => b.summary.updatedAt - a.summary.updatedAt || (a.id < b.id ? -1 : 1));
  return byTime.slice(0, limit);
}

/** Returns null if the list names a session that no longer exists. */
async function readSessionRow(redis: RedisClient, prefix: string, id: string): Promise<SessionRow | null> {
  const names = ['row', 'fence', 'head', 'about'];
  const values = await redis.hmget(buildSessionKeys(prefix, id).session, ...names);
  const fields = names.flatMap((name, index) => {
    const value = values[index] ?? null;
    return value === null ? [] : [[name, value] as const];
  });
  if (fields.length === 0) return null;
  try {
    return parseSessionRow(id, new Map(fields));
  } catch (error) {
    // An unreadable session must not hide the others.
    if (error instanceof StoreError) return null;
    throw error;
  }
}

/** Serializes a claim; Redis prepends the time, so that all times come from one clock. */
function serializeClaim(claim: NewClaim | null): string {
  return claim === null ? '' : JSON.stringify(claim);
}

/** Returns null for an invalid line, because claims are only informational. */
function parseClaim(line: string): SessionClaim | null {
  try {
    const space = line.indexOf(' ');
    const { owner, head, status } = Object(JSON.parse(line.slice(space + 1))) as Partial<SessionClaim>;
    const at = Number(line.slice(0, space));
    const isWhole = typeof owner === 'string' && typeof head === 'number' && typeof status === 'string';
    return isWhole && Number.isFinite(at) ? { owner, at, head, status } : null;
  } catch {
    return null;
  }
}

/**
 * Reads a session atomically: the fields of its hash, an event beyond its head, the hash of a requested event and, if
 * requested, the snapshot and the events since.
 *
 * KEYS: session, log, snapshot. ARGV: the number of the requested event (0 for none), the maximum number of events (0
 * for the session only).
 */
const readSessionScript = `
local fields = redis.call('HGETALL', KEYS[1])
if #fields == 0 then return false end
local head = redis.call('HGET', KEYS[1], 'head')
local stray = redis.call('XRANGE', KEYS[2], '(' .. head, '+', 'COUNT', 1)
local asked = ARGV[1] == '0' and {} or redis.call('XRANGE', KEYS[2], ARGV[1], ARGV[1])
if ARGV[2] == '0' then return {fields, stray, asked, false, {}} end
local from = redis.call('HGET', KEYS[1], 'from')
local events = redis.call('XRANGE', KEYS[2], from, '+', 'COUNT', ARGV[2])
return {fields, stray, asked, redis.call('GET', KEYS[3]), events}
`;

/**
 * Changes a session by compare-and-set on its fence, head and revision. It checks everything before writing, because a
 * script cannot be rolled back.
 *
 * KEYS: session, log, snapshot, commands, claims and, for a removal, all other keys of the session. ARGV: the expected
 * fence, head and revision (all empty: the session must not exist), the operation, the number of fields, the fields
 * with their values, the snapshot or empty, the claim or empty, the number of executed commands, their ids, and the
 * events as number, hash, text.
 * Returns 1 when done, 0 if the session has changed, and -1 if the log does not end at the session's head.
 */
const writeSessionScript = `
local now = redis.call('HMGET', KEYS[1], 'fence', 'head', 'rev', 'first')
for i = 1, 3 do
  if (now[i] or '') ~= ARGV[i] then return 0 end
end
if ARGV[4] == 'remove' then
  redis.call('DEL', unpack(KEYS))
  return 1
end
local at = 6 + tonumber(ARGV[5]) * 2
local snapshot = ARGV[at]
local claim = ARGV[at + 1]
local commands = tonumber(ARGV[at + 2])
local first = at + 3 + commands
if now[2] and first <= #ARGV then
  local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
  local kept = last and last[1] or (now[4] .. '-0')
  if kept ~= now[2] .. '-0' then return -1 end
end
redis.call('HSET', KEYS[1], unpack(ARGV, 6, at - 1))
redis.call('HINCRBY', KEYS[1], 'rev', 1)
for i = first, #ARGV, 3 do
  redis.call('XADD', KEYS[2], ARGV[i] .. '-0', 'hash', ARGV[i + 1], 'text', ARGV[i + 2])
end
if snapshot ~= '' then redis.call('SET', KEYS[3], snapshot) end
for i = at + 3, first - 1 do redis.call('XDEL', KEYS[4], ARGV[i]) end
if claim ~= '' then
  local time = redis.call('TIME')
  redis.call('RPUSH', KEYS[5], time[1] .. string.format('%03d', math.floor(time[2] / 1000)) .. ' ' .. claim)
  redis.call('LTRIM', KEYS[5], -100, -1)
end
return 1
`;

/**
 * Draws a fence higher than any before, even if the counter was lost. KEYS: the counter. ARGV: the highest known fence.
 */
const nextFenceScript = `
local next = redis.call('INCR', KEYS[1])
local known = tonumber(ARGV[1])
if next > known then return next end
redis.call('SET', KEYS[1], known + 1)
return known + 1
`;
