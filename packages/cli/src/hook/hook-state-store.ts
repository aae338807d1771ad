import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getDataFolder, ensureParentFolder } from '../data-folder.ts';
import { initialHookState, type HookState } from './hook-state.ts';

/** Persists the state of all agents of all hosts, because each hook is a separate process and several run at once. */
export type HookStateStore = {
  /** Updates a state exclusively; if `change` throws, the state stays as it was. */
  change<Result>(
    who: HookAgentKey,
    change: (mind: HookState) => { readonly mind: HookState; readonly result: Result },
  ): Result;
  /** Deletes a session's state, including its sub-agents. */
  forget(who: Pick<HookAgentKey, 'host' | 'session'>): void;
  close(): void;
};

export type HookAgentKey = { readonly host: string; readonly session: string; readonly agent: string };

/** How long a hook waits for the lock on a busy machine; it must end before the host's own timeout of ten seconds. */
const lockTimeoutMs = 8_000;

/** Age after which a session counts as ended, even if its host never reported the end. */
const stateMaxAgeMs = 30 * 24 * 3_600_000;

export function getHooksFile(): string {
  return join(getDataFolder(), 'hooks.sqlite');
}

export function openHookStateStore(file: string, now: () => number): HookStateStore {
  ensureParentFolder(file);
  const database = new DatabaseSync(file, { timeout: lockTimeoutMs });
  // A power failure loses only a few calls, whereas waiting for the disk would slow down every call.
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = normal;
    create table if not exists minds (
      host text not null, session text not null, agent text not null, at integer not null, mind text not null,
      primary key (host, session, agent)
    ) strict, without rowid;
  `);
  return {
    change({ host, session, agent }, change) {
      database.exec('begin immediate');
      try {
        const row = database
          .prepare('select mind from minds where host = ? and session = ? and agent = ?')
          .get(host, session, agent);
        if (row === undefined) {
          database.prepare('delete from minds where at < ?').run(now() - stateMaxAgeMs);
        }
        const before = row === undefined ? initialHookState : parseHookState(row['mind']);
        const { mind, result } = change(before);
        if (mind !== before) {
          database
            .prepare('insert or replace into minds (host, session, agent, at, mind) values (?, ?, ?, ?, ?)')
            .run(host, session, agent, now(), JSON.stringify(mind));
        }
        database.exec('commit');
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec('rollback');
        throw error;
      }
    },
    forget({ host, session }) {
      database.prepare('delete from minds where host = ? and session = ?').run(host, session);
    },
    close: () => database.close(),
  };
}

/** Resets state that was written by an incompatible version. */
function parseHookState(text: unknown): HookState {
  const mind: unknown = JSON.parse(String(text));
  const isOurs =
    typeof mind === 'object' &&
    mind !== null &&
    'version' in mind &&
    mind.version === initialHookState.version;
  return isOurs ? (mind as HookState) : initialHookState;
}
