import { StoreError } from '@pawl/runtime';
import type { RedisClient } from '../redis-client.ts';
import { translated } from '../redis-error.ts';
import { keysOf } from '../store/keys.ts';
import { scriptOn } from '../store/script.ts';
import type { Entry } from '../store/sight.ts';
import { readCommand, type SessionCommand } from './command.ts';

/** Null for a command that nobody can read. */
export type Waiting = { readonly id: string; readonly command: SessionCommand | null };

/** What people ask of sessions, kept in order until it is carried out. */
export type CommandChannel = {
  /** Resolves, once it is kept, to its id. */
  send(session: string, command: SessionCommand): Promise<string>;
  /** The oldest first. */
  waiting(session: string): Promise<readonly Waiting[]>;
  /** For what changes nothing in the session. What does is taken away by the store, together with its event. */
  drop(session: string, id: string): Promise<void>;
};

/** More than anybody asks before a worker gets to it. */
const waitingMax = 1_000;

/** KEYS: session, commands. ARGV: the command, and how many may wait. */
const sendScript = `
if redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
if redis.call('XLEN', KEYS[2]) >= tonumber(ARGV[2]) then return -2 end
return redis.call('XADD', KEYS[2], '*', 'command', ARGV[1])
`;

export function commandChannel(redis: RedisClient, prefix: string): CommandChannel {
  const send = scriptOn(redis, sendScript);
  return {
    send: (session, command) =>
      translated(async () => {
        const { session: key, commands } = keysOf(prefix, session);
        const where = `session ${JSON.stringify(session)}`;
        const json = JSON.stringify(command);
        // Nobody could read it on the other side either.
        if (readCommand(json) === null) throw new StoreError('invalid', where, 'this is no command');
        const id = await send([key, commands], [json, waitingMax]);
        if (id === -1) throw new StoreError('missing', where);
        if (id === -2) throw new StoreError('full', where, `${waitingMax} commands wait for it already`);
        return String(id);
      }),
    waiting: (session) =>
      translated(async () => {
        const entries = (await redis.xrange(
          keysOf(prefix, session).commands,
          '-',
          '+',
          'COUNT',
          100,
        )) as Entry[];
        return entries.map(([id, fields]) => ({ id, command: readCommand(fields[1] ?? '') }));
      }),
    drop: (session, id) =>
      translated(async () => {
        await redis.xdel(keysOf(prefix, session).commands, id);
      }),
  };
}
