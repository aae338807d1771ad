/**
 * Both scripts work on the keys of one storage, which are all on the same cluster node. Keys of words are built from a
 * common prefix.
 *
 * KEYS: entries (key to entry), words (key to its words), names (keys in lexical order), ages (keys by age), and the
 * prefix of the word keys.
 */
const forgetWordsFunction = `
local function forget(key)
  local words = redis.call('HGET', KEYS[2], key)
  if not words then return false end
  for word in string.gmatch(words, '[^ ]+') do redis.call('ZREM', KEYS[5] .. word, key) end
  return true
end
`;

/** ARGV: for each entry its key, the entry, its age, and its words separated by spaces. */
export const saveEntriesScript = `${forgetWordsFunction}
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
export const removeEntryScript = `${forgetWordsFunction}
if not forget(ARGV[1]) then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
return 1
`;
