import {
  commandLimits,
  serializeCommand,
  parseCommand,
  createQueueFullError,
  type CommandChannel,
} from '@pawl/runtime/commands';
import { formatSessionLabel, StoreError } from '@pawl/runtime/store';
import { buildSessionKeys } from './keys.ts';
import { translateRedisErrors, createRedisScript, type RedisClient } from '../redis/redis-client.ts';
import type { StreamEntry } from './loaded-session.ts';

/**
 * KEYS: session, commands, command ids by request id, request ids in order. ARGV: the command, the maximum number of
 * pending commands, the request id or empty, the maximum number of stored request ids.
 */
const sendCommandScript = `
if redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
local before = ARGV[3] ~= '' and redis.call('HGET', KEYS[3], ARGV[3])
if before then return before end
if redis.call('XLEN', KEYS[2]) >= tonumber(ARGV[2]) then return -2 end
local id = redis.call('XADD', KEYS[2], '*', 'command', ARGV[1])
if ARGV[3] ~= '' then
  redis.call('HSET', KEYS[3], ARGV[3], id)
  if redis.call('RPUSH', KEYS[4], ARGV[3]) > tonumber(ARGV[4]) then
    redis.call('HDEL', KEYS[3], redis.call('LPOP', KEYS[4]))
  end
end
return id
`;

/**
 * KEYS: session, commands. ARGV: the command, and the fence that must still be current, or empty. Returns 0 when done,
 * -1 if the session does not exist, and otherwise the current fence.
 */
const dropCommandScript = `
if ARGV[2] ~= '' then
  local fence = redis.call('HGET', KEYS[1], 'fence')
  if not fence then return -1 end
  if fence ~= ARGV[2] then return tonumber(fence) end
end
redis.call('XDEL', KEYS[2], ARGV[1])
return 0
`;

/** A command channel in Redis. The script that appends an event also removes the commands it executes. */
export function createRedisCommandChannel(redis: RedisClient, prefix: string): CommandChannel {
  const send = createRedisScript(redis, sendCommandScript);
  const removeCommand = createRedisScript(redis, dropCommandScript);
  return {
    send: (session, command, options = {}) =>
      translateRedisErrors(async () => {
        const { session: key, commands, requests, requestOrder } = buildSessionKeys(prefix, session);
        const { pendingMax, requestIdsMax: remembered } = commandLimits;
        const text = serializeCommand(session, command, options);
        const args = [text, pendingMax, options.requestId ?? '', remembered];
        const id = await send([key, commands, requests, requestOrder], args);
        if (id === -1) throw new StoreError('missing', formatSessionLabel(session));
        if (id === -2) throw createQueueFullError(session);
        return String(id);
      }),
    listPending: (session) =>
      translateRedisErrors(async () => {
        const { commands } = buildSessionKeys(prefix, session);
        const entries = (await redis.xrange(
          commands,
          '-',
          '+',
          'COUNT',
          commandLimits.listedMax,
        )) as StreamEntry[];
        return entries.map(([id, fields]) => ({ id, command: parseCommand(fields[1] ?? '') }));
      }),
    remove: (session, id, fence) =>
      translateRedisErrors(async () => {
        const { session: key, commands } = buildSessionKeys(prefix, session);
        const last = Number(await removeCommand([key, commands], [id, fence ?? '']));
        if (last === -1) throw new StoreError('missing', formatSessionLabel(session));
        if (last !== 0)
          throw new StoreError('held', formatSessionLabel(session), `claim ${last}; this was claim ${fence}`);
      }),
  };
}
