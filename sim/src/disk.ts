import { createMemoryStore, openSqliteStore, type Store } from '@pawl/runtime';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Plan } from './plan.ts';
import type { Disk } from './world.ts';

/** What outlives the processes of a run: a store in memory, or in a file for which every process has its own connection. */
export function createDisk({ store }: Plan, now: () => number): Disk {
  return store === 'memory' ? inMemory(now) : inFile();
}

function inMemory(now: () => number): Disk {
  const store = createMemoryStore(now);
  // The end of a process is not the end of what it worked on.
  const connection: Store = { ...store, close: async () => undefined };
  return {
    connect: () => connection,
    spools: new Map(),
    fullUntil: 0,
    damageSnapshot: () => false,
    remove: () => undefined,
  };
}

/** Memory that looks like a disk, where the machine has it: what is tested here are the rules, not the disk. */
function inFile(): Disk {
  const folder = mkdtempSync(join(memoryFolder(), 'pawl-sim-'));
  const path = join(folder, 'sessions.db');
  const older = new Map<string, readonly (string | number | null)[]>();
  return {
    connect: () => openSqliteStore(path),
    spools: new Map(),
    fullUntil: 0,
    damageSnapshot: (session, how) => damage(path, session, { how, older }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function memoryFolder(): string {
  return process.platform === 'linux' ? '/dev/shm' : tmpdir();
}

type Damage = { readonly how: number; readonly older: Map<string, readonly (string | number | null)[]> };

/** Flips a letter of it, or puts an older one back. */
function damage(path: string, session: string, { how, older }: Damage): boolean {
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
