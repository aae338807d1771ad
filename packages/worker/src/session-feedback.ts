import { formatSessionLabel, StoreError } from '@pawl/runtime/store';
import { buildSessionKeys } from './store/keys.ts';
import { translateRedisErrors, createRedisScript, type RedisClient } from './redis/redis-client.ts';
import { defaultPrefix } from './store/redis-store.ts';

/** User feedback on a session, which is not part of its log. It is deleted with the session. */
export type SessionFeedbackStore = {
  /** Stores a text under a name and replaces an existing one. */
  save(session: string, name: string, text: string): Promise<void>;
  /** Does nothing if the name does not exist. */
  remove(session: string, name: string): Promise<void>;
  /** In no particular order. */
  list(session: string): Promise<readonly string[]>;
};

/** KEYS: session, feedback. ARGV: the name, the text. */
const saveFeedbackScript = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return 1
`;

export function createSessionFeedbackStore(
  redis: RedisClient,
  { prefix = defaultPrefix }: { readonly prefix?: string } = {},
): SessionFeedbackStore {
  const save = createRedisScript(redis, saveFeedbackScript);
  return {
    save: (id, name, text) =>
      translateRedisErrors(async () => {
        const { session, marks } = buildSessionKeys(prefix, id);
        if ((await save([session, marks], [name, text])) === 1) return;
        throw new StoreError('missing', formatSessionLabel(id));
      }),
    remove: (id, name) =>
      translateRedisErrors(async () => {
        await redis.hdel(buildSessionKeys(prefix, id).marks, name);
      }),
    list: (id) => translateRedisErrors(() => redis.hvals(buildSessionKeys(prefix, id).marks)),
  };
}
