import { createMemoryStore, openSqliteStore, type Store } from '@pawl/runtime/store';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SimPlan } from './plan.ts';
import type { SimDisk } from './sim-world.ts';

/** Storage that outlives processes: a memory store, or a file with a separate connection per process. */
export function createSimDisk({ store }: SimPlan, now: () => number): SimDisk {
  return store === 'memory' ? createMemoryDisk(now) : createFileDisk();
}

function createMemoryDisk(now: () => number): SimDisk {
  const store = createMemoryStore(now);
  // Data outlives the process, so closing its connection does nothing.
  const connection: Store = { ...store, close: async () => undefined };
  return {
    connect: () => connection,
    spools: new Map(),
    fullUntil: 0,
    damageSnapshot: () => false,
    remove: () => undefined,
  };
}

/** Uses a memory-backed folder if possible, because the simulation covers the store's logic, not the disk. */
function createFileDisk(): SimDisk {
  const folder = mkdtempSync(join(getMemoryFolder(), 'pawl-sim-'));
  const path = join(folder, 'sessions.db');
  const older = new Map<string, readonly (string | number | null)[]>();
  return {
    connect: () => openSqliteStore(path),
    spools: new Map(),
    fullUntil: 0,
    damageSnapshot: (session, how) => damageSnapshotRow(path, session, { how, older }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function getMemoryFolder(): string {
  return process.platform === 'linux' ? '/dev/shm' : tmpdir();
}

type SnapshotDamage = {
  readonly how: number;
  readonly older: Map<string, readonly (string | number | null)[]>;
};

/** Corrupts the text of the snapshot, or restores an older one. */
function damageSnapshotRow(path: string, session: string, { how, older }: SnapshotDamage): boolean {
  const database = new DatabaseSync(path);
  try {
    const number = '(SELECT number FROM sessions WHERE id = ?)';
    const found = database
      .prepare(`SELECT version, head, hash, text, checksum FROM snapshots WHERE session = ${number}`)
      .get(session);
    if (found === undefined) return false;
    const row = Object.values(found) as (string | number | null)[];
    const before = older.get(session);
    older.set(session, row);
    const [version = 0, head = 0, hash = '', text = '', checksum = ''] = row;
    const put = database.prepare(
      `REPLACE INTO snapshots (session, version, head, hash, text, checksum) VALUES (${number}, ?, ?, ?, ?, ?)`,
    );
    if (how % 2 === 1 && before !== undefined) put.run(session, ...before);
    else put.run(session, version, head, hash, String(text).replace('"seq":', '"seq":1'), checksum);
    return true;
  } finally {
    database.close();
  }
}
