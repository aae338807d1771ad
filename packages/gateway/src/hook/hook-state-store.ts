import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getDataFolder, ensureParentFolder } from '@pawl/runtime/data-folder';
import { initialHookState, type HookState } from './hook-state.ts';

/** Persists the state of all agents of all hosts, because each hook is a separate process and several run at once. */
export type HookStateStore = {
  /** Updates a state exclusively; if `change` throws, the state stays as it was. */
  change<Result>(
    agentKey: HookAgentKey,
    change: (state: HookState) => { readonly state: HookState; readonly result: Result },
  ): Result;
  /** Deletes a session's state, including its sub-agents. */
  remove(agentKey: Pick<HookAgentKey, 'host' | 'session'>): void;
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
    drop table if exists minds;
    create table if not exists states (
      host text not null, session text not null, agent text not null, at integer not null, state text not null,
      primary key (host, session, agent)
    ) strict, without rowid;
  `);
  return {
    change({ host, session, agent }, change) {
      database.exec('begin immediate');
      try {
        const row = database
          .prepare('select state from states where host = ? and session = ? and agent = ?')
          .get(host, session, agent);
        if (row === undefined) {
          database.prepare('delete from states where at < ?').run(now() - stateMaxAgeMs);
        }
        const before = row === undefined ? initialHookState : parseHookState(row['state']);
        const { state, result } = change(before);
        if (state !== before) {
          database
            .prepare('insert or replace into states (host, session, agent, at, state) values (?, ?, ?, ?, ?)')
            .run(host, session, agent, now(), JSON.stringify(state));
        }
        database.exec('commit');
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec('rollback');
        throw error;
      }
    },
    remove({ host, session }) {
      database.prepare('delete from states where host = ? and session = ?').run(host, session);
    },
    close: () => database.close(),
  };
}

/** Resets state that was written by an incompatible version. */
function parseHookState(text: unknown): HookState {
  const state: unknown = JSON.parse(String(text));
  const isOurs =
    typeof state === 'object' &&
    state !== null &&
    'version' in state &&
    state.version === initialHookState.version;
  return isOurs ? (state as HookState) : initialHookState;
}
