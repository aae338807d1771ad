/**
 * Reads a session atomically: the fields of its hash, an event beyond its head, the hash of a requested event and, if
 * requested, the snapshot and the events since.
 *
 * KEYS: session, log, snapshot. ARGV: the number of the requested event (0 for none), the maximum number of events (0
 * for the session only).
 */
export const readSessionScript = `
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
export const writeSessionScript = `
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
export const nextFenceScript = `
local next = redis.call('INCR', KEYS[1])
local known = tonumber(ARGV[1])
if next > known then return next end
redis.call('SET', KEYS[1], known + 1)
return known + 1
`;
