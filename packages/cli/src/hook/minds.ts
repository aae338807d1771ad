import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { dataFolder, makeFolderFor } from '../data-folder.ts';
import { fresh, type Mind } from './mind.ts';

/** What is known of the agents of all hosts, on disk: each hook is a process of its own, and several run at once. */
export type Minds = {
  /** Lets a mind be changed. Nobody else changes any meanwhile; what is thrown leaves it as it was. */
  change<Result>(who: Who, change: (mind: Mind) => { readonly mind: Mind; readonly result: Result }): Result;
  /** Forgets a session with all its sub-agents. */
  forget(who: Pick<Who, 'host' | 'session'>): void;
  close(): void;
};

export type Who = { readonly host: string; readonly session: string; readonly agent: string };

/** How long a hook waits for others; the host waits for it meanwhile. */
const patienceMs = 2_000;

/** A session of which nothing was heard for so long is over, whatever its host forgot to say. */
const keptMs = 30 * 24 * 3_600_000;

export function hooksFile(): string {
  return join(dataFolder(), 'hooks.sqlite');
}

export function openMinds(file: string, now: () => number): Minds {
  makeFolderFor(file);
  const database = new DatabaseSync(file, { timeout: patienceMs });
  // What a loss of power takes with it is the memory of a few calls, and waiting for the disk would be felt at each.
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
          database.prepare('delete from minds where at < ?').run(now() - keptMs);
        }
        const before = row === undefined ? fresh : readMind(row['mind']);
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

/** What an older or a newer version wrote is not understood, and begun anew. */
function readMind(text: unknown): Mind {
  const mind: unknown = JSON.parse(String(text));
  const isOurs =
    typeof mind === 'object' && mind !== null && 'version' in mind && mind.version === fresh.version;
  return isOurs ? (mind as Mind) : fresh;
}
