import type { Session } from '@pawl/core';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { keptIn, session, tale, tell } from './tale.ts';

export type Expected = { readonly sessions: readonly Session[]; readonly hashes: readonly string[] };

/** The session after each number of events, and the hash of the last of them. */
export async function expectedWork(count: number): Promise<Expected> {
  const store = createMemoryStore();
  await tell(store, session(), await store.create(session(), 'me'), count);
  const sessions = Array.from({ length: count + 1 }, (_, length) => tale(session(), length).end);
  return { sessions, hashes: ['', ...(await keptIn(store, 'a')).map(({ hash }) => hash)] };
}

export type Found = 'sound' | 'lost' | 'corrupt';

/** Opens what is on the disk with the real store. `saidLast` is the last event that was said to be kept, -1 for not even a session. */
export async function look(path: string, saidLast: number, expected: Expected): Promise<Found> {
  const store = openSqliteStore(path);
  try {
    const { head, session: opened } = await store.open('a');
    const verified = await store.verify('a');
    const last = (await keptIn(store, 'a', head - 1))[0];
    const isAsKept =
      isDeepStrictEqual(verified, { ok: true, head }) &&
      (last?.hash ?? '') === expected.hashes[head] &&
      isDeepStrictEqual(opened, expected.sessions[head]) &&
      head <= saidLast + 1;
    if (!isAsKept || !isWhole(path)) return 'corrupt';
    return head < saidLast ? 'lost' : 'sound';
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'missing')) return 'corrupt';
    return saidLast < 0 ? 'sound' : 'lost';
  } finally {
    await store.close();
  }
}

function isWhole(path: string): boolean {
  const database = new DatabaseSync(path);
  const answer = database.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
  database.close();
  return answer === 'ok';
}
