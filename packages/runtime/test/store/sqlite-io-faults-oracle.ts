import { step, type Session } from '@pawl/core';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import {
  collectStoredEvents,
  createNextBatch,
  createSampleSession,
  createSampleLog,
} from './sample-session.ts';

export type ExpectedLog = {
  readonly sessions: readonly Session[];
  readonly hashes: readonly string[];
  /** The numbers at which a commit ends: a log that ends elsewhere was torn. */
  readonly ends: readonly number[];
};

/** The session after each number of events, and the hash of the last of them. */
export async function buildExpectedLog(count: number): Promise<ExpectedLog> {
  const store = createMemoryStore();
  const sessions = [createSampleSession()];
  const hashes = [''];
  let at = await store.create(createSampleSession(), 'me');
  for (const event of createSampleLog(createSampleSession(), count).events) {
    const end = step(sessions.at(-1) ?? createSampleSession(), event).session;
    sessions.push(end);
    at = await store.append('a', at, [event], end);
  }
  for await (const { hash } of store.events('a')) hashes.push(hash);
  return { sessions, hashes, ends: listCommitEnds(count) };
}

function listCommitEnds(count: number): readonly number[] {
  const ends = [0];
  for (let end = createSampleSession(); end.seq < count; end = createNextBatch(end, count).end)
    ends.push(createNextBatch(end, count).end.seq);
  return ends;
}

export type DiskVerdict = 'sound' | 'lost' | 'corrupt';

/**
 * Opens what is on the disk with the real store. `saidLast` is the number of the last event that was said to be kept, and
 * -1 when there was not even a session.
 */
export async function inspectDisk(
  path: string,
  saidLast: number,
  expected: ExpectedLog,
): Promise<DiskVerdict> {
  const store = openSqliteStore(path);
  try {
    const { head } = await store.open('a');
    const nextEnd = expected.ends.find((end) => end > saidLast) ?? saidLast;
    if (head > nextEnd || !expected.ends.includes(head)) return 'corrupt';
    if (!(await matchesExpectedLog(store, expected)) || !isDatabaseIntact(path)) return 'corrupt';
    return head < saidLast ? 'lost' : 'sound';
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'missing')) return 'corrupt';
    return saidLast < 0 ? 'sound' : 'lost';
  } finally {
    await store.close();
  }
}

/** By the hash of the last event, all of them are to the letter those that were appended. */
async function matchesExpectedLog(store: Store, { sessions, hashes }: ExpectedLog): Promise<boolean> {
  const { head, session: opened } = await store.open('a');
  const last = (await collectStoredEvents(store, 'a', head - 1))[0];
  return (
    isDeepStrictEqual(await store.verify('a'), { ok: true, head }) &&
    isDeepStrictEqual(opened, sessions[head]) &&
    (last?.hash ?? '') === hashes[head]
  );
}

function isDatabaseIntact(path: string): boolean {
  const database = new DatabaseSync(path);
  const answer = database.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
  database.close();
  return answer === 'ok';
}
