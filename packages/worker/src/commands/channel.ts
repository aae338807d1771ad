import {
  commandLimits,
  commandText,
  readCommand,
  StoreError,
  tooManyWait,
  type CommandChannel,
} from '@pawl/runtime';
import { named } from '../named.ts';
import type { RedisClient } from '../redis-client.ts';
import { translated } from '../redis-error.ts';
import { keysOf } from '../store/keys.ts';
import { scriptOn } from '../store/script.ts';
import type { Entry } from '../store/sight.ts';

/**
 * KEYS: session, commands, which command came by which request, the requests in order. ARGV: the command, how many may
 * wait, the request or nothing, how many requests are remembered.
 */
const sendScript = `
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
 * KEYS: session, commands. ARGV: the command, and the number of the claim that is still to be the last, or nothing. Gives 0 when
 * done, -1 where there is no such session, and otherwise the number of the claim that is the last.
 */
const dropScript = `
if ARGV[2] ~= '' then
  local fence = redis.call('HGET', KEYS[1], 'fence')
  if not fence then return -1 end
  if fence ~= ARGV[2] then return tonumber(fence) end
end
redis.call('XDEL', KEYS[2], ARGV[1])
return 0
`;

/** A channel in Redis. What is carried out is taken away by the script that keeps the event. */
export function commandChannel(redis: RedisClient, prefix: string): CommandChannel {
  const send = scriptOn(redis, sendScript);
  const drop = scriptOn(redis, dropScript);
  return {
    send: (session, command, options = {}) =>
      translated(async () => {
        const { session: key, commands, requests, requestOrder } = keysOf(prefix, session);
        const { waiting, requests: remembered } = commandLimits;
        const text = commandText(session, command, options);
        const args = [text, waiting, options.requestId ?? '', remembered];
        const id = await send([key, commands, requests, requestOrder], args);
        if (id === -1) throw new StoreError('missing', named(session));
        if (id === -2) throw tooManyWait(session);
        return String(id);
      }),
    waiting: (session) =>
      translated(async () => {
        const { commands } = keysOf(prefix, session);
        const entries = (await redis.xrange(commands, '-', '+', 'COUNT', commandLimits.told)) as Entry[];
        return entries.map(([id, fields]) => ({ id, command: readCommand(fields[1] ?? '') }));
      }),
    drop: (session, id, fence) =>
      translated(async () => {
        const { session: key, commands } = keysOf(prefix, session);
        const last = Number(await drop([key, commands], [id, fence ?? '']));
        if (last === -1) throw new StoreError('missing', named(session));
        if (last !== 0)
          throw new StoreError('held', named(session), `by claim ${last}; this was claim ${fence}`);
      }),
  };
}
