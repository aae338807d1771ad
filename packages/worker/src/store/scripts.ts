/**
 * Reads what is known of a session at one moment: the fields of its hash, whether an event is there that should not be,
 * the hash of an event asked for, and, if asked for, the snapshot and the events since.
 *
 * KEYS: session, log, snapshot. ARGV: number of an event (0 for none), how many events (0 for nothing but the session).
 */
export const readScript = `
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
 * Changes a session if nobody has changed it since it was read: compare and set, on the number of the claim, of the last
 * event and of the last change. Everything is looked at before anything is written, since a script is not undone.
 *
 * KEYS: session, log, snapshot, commands, claims, and where it is removed what else goes with it. ARGV: claim, head and change it must
 * stand at (all empty: it must not be there), what to do, how many fields, the fields with their values, the snapshot or
 * nothing, who claims it by this or nothing, how many commands are carried out by this, their ids, and the events as number,
 * hash, text.
 * Gives 1 when done, 0 when it stands elsewhere, and -1 when the log does not end where the session says.
 */
export const writeScript = `
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

/** A number for a claim: higher than any before, even if the count of them was lost. KEYS: the count. ARGV: the highest known. */
export const fenceScript = `
local next = redis.call('INCR', KEYS[1])
local known = tonumber(ARGV[1])
if next > known then return next end
redis.call('SET', KEYS[1], known + 1)
return known + 1
`;
