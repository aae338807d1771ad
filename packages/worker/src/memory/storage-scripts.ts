/**
 * Both scripts work on the keys of one storage, which are all on the same node of a cluster. There is a key for each word,
 * made from what all of those begin with.
 *
 * KEYS: entries (key to entry), words (key to its words), names (keys by their order), ages (keys by their age), and what
 * the keys of words begin with.
 */
const forget = `
local function forget(key)
  local words = redis.call('HGET', KEYS[2], key)
  if not words then return false end
  for word in string.gmatch(words, '[^ ]+') do redis.call('ZREM', KEYS[5] .. word, key) end
  return true
end
`;

/** ARGV: for each entry its key, the entry, its age, and its words with a space between them. */
export const saveScript = `${forget}
for i = 1, #ARGV, 4 do
  local key, age, words = ARGV[i], ARGV[i + 2], ARGV[i + 3]
  forget(key)
  redis.call('HSET', KEYS[1], key, ARGV[i + 1])
  redis.call('HSET', KEYS[2], key, words)
  redis.call('ZADD', KEYS[3], 0, key)
  redis.call('ZADD', KEYS[4], age, key)
  for word in string.gmatch(words, '[^ ]+') do redis.call('ZADD', KEYS[5] .. word, age, key) end
end
return 1
`;

/** ARGV: the key. */
export const removeScript = `${forget}
if not forget(ARGV[1]) then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
return 1
`;
