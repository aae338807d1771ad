import { StoreError } from '@pawl/runtime';
import { named } from './named.ts';
import type { RedisClient } from './redis-client.ts';
import { translated } from './redis-error.ts';
import { keysOf } from './store/keys.ts';
import { defaultPrefix } from './store/redis-store.ts';
import { scriptOn } from './store/script.ts';

/** What people say about a session afterwards, which is no part of its log. It is gone when the session is removed. */
export type SessionMarks = {
  /** Keeps a text under a name; what was under that name is replaced. */
  keep(session: string, name: string, text: string): Promise<void>;
  /** Nothing is wrong if it is not there. */
  forget(session: string, name: string): Promise<void>;
  /** In no particular order. */
  of(session: string): Promise<readonly string[]>;
};

/** KEYS: session, marks. ARGV: the name, the text. */
const keepScript = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return 1
`;

export function sessionMarks(
  redis: RedisClient,
  { prefix = defaultPrefix }: { readonly prefix?: string } = {},
): SessionMarks {
  const keep = scriptOn(redis, keepScript);
  return {
    keep: (id, name, text) =>
      translated(async () => {
        const { session, marks } = keysOf(prefix, id);
        if ((await keep([session, marks], [name, text])) === 1) return;
        throw new StoreError('missing', named(id));
      }),
    forget: (id, name) =>
      translated(async () => {
        await redis.hdel(keysOf(prefix, id).marks, name);
      }),
    of: (id) => translated(() => redis.hvals(keysOf(prefix, id).marks)),
  };
}
