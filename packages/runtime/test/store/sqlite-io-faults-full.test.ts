import { createSession, step, type Session } from '@pawl/core';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, statSync, truncateSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { Agent } from '../../src/agent/agent.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { createStoreEventLog } from '../../src/store/store-event-log.ts';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import type { LogPosition, Store } from '../../src/store/store.ts';
import { createTempFolder } from '../search/temp-folder.ts';
import {
  listStoredEvents,
  createNextEvent,
  createSampleSession,
  appendSampleEvents,
} from './sample-session.ts';

type SmallDisk = {
  readonly path: string;
  fill(): void;
  free(bytes?: number): void;
  [Symbol.dispose](): void;
};

const [mounter, unmounter] = ['mount', 'umount'];
const bytes = 1024 * 1024;

/** A disk of a megabyte. Only root may make one. */
function mountSmallDisk(): SmallDisk | string {
  const folder = createTempFolder();
  mkdirSync(folder.at('disk'));
  const made = spawnSync(mounter, ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder.at('disk')]);
  const filler = folder.at('disk/filler');
  const disk = {
    path: folder.at('disk'),
    fill() {
      for (let size = 64 * 1024; size >= 1; size = Math.floor(size / 2)) {
        try {
          for (;;) appendFileSync(filler, Buffer.alloc(size));
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
        }
      }
    },
    free(fewer = bytes) {
      truncateSync(filler, Math.max(0, statSync(filler).size - fewer));
    },
    [Symbol.dispose]() {
      spawnSync(unmounter, [disk.path]);
      folder[Symbol.dispose]();
    },
  };
  if (made.status === 0) return disk;
  folder[Symbol.dispose]();
  return 'a small disk cannot be mounted';
}

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

function createTestDisk(): SmallDisk {
  const disk = mountSmallDisk();
  if (typeof disk === 'string') throw new Error(disk);
  cleanUps.push(() => disk[Symbol.dispose]());
  return disk;
}

function openDiskStore(disk: SmallDisk): Store {
  const store = openSqliteStore(`${disk.path}/sessions.db`);
  cleanUps.push(() => store.close());
  return store;
}

function appendNextEvent(store: Store, before: Session, at: LogPosition): Promise<LogPosition> {
  const event = createNextEvent(before);
  return store.append(before.id, at, [event], step(before, event).session);
}

describe('a store whose disk is full', { tags: ['mount'] }, () => {
  it('stores nothing of an event that does not fit, and stores it once there is space', async () => {
    const disk = createTestDisk();
    const store = openDiskStore(disk);
    const { at, end } = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      20,
    );
    disk.fill();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(appendNextEvent(store, end, at)).rejects.toMatchObject({
        name: 'StoreError',
        code: 'full',
      });
    }
    expect(await store.open('a')).toMatchObject({ session: end, head: 20 });
    disk.free();
    expect(await appendNextEvent(store, end, at)).toEqual({ ...at, head: 21 });
    expect(await store.verify('a')).toEqual({ ok: true, head: 21 });
  });

  it('delays an agent, which continues once there is space', async () => {
    const disk = createTestDisk();
    const store = openDiskStore(disk);
    const fresh = createSession({ id: 'agent', at: 0 });
    const log = createStoreEventLog(store, 'agent', await store.create(fresh, 'me'));
    const outages: (string | null)[] = [];
    const agent = new Agent({
      session: fresh,
      log,
      model: createScriptedModel([{ text: 'x'.repeat(20_000) }, { text: 'There.' }]),
      tools: [],
      onStoreOutage: (outage) => outages.push(outage?.kind ?? null),
    });
    disk.fill();
    void agent.sendMessage('Are you there?');
    await expect.poll(() => outages.length).toBeGreaterThan(0);
    expect(agent.session.turn.status).toBe('waitingForUser');
    disk.free();
    await expect.poll(() => outages.at(-1)).toBeNull();
    await agent.waitUntilIdle();
    await agent.sendMessage('And now?');
    const end = await agent.waitUntilIdle();
    expect((await store.open('agent')).session).toStrictEqual(end);
    expect(await store.verify('agent')).toEqual({ ok: true, head: 4 });
  });

  it('can still be read', async () => {
    const disk = createTestDisk();
    const store = openDiskStore(disk);
    const { end } = await appendSampleEvents(
      store,
      createSampleSession(),
      await store.create(createSampleSession(), 'me'),
      20,
    );
    disk.fill();
    expect(await store.open('a')).toMatchObject({ session: end, head: 20 });
    expect(await store.list()).toHaveLength(1);
    expect(await listStoredEvents(store, 'a')).toHaveLength(20);
    expect(await store.verify('a')).toEqual({ ok: true, head: 20 });
    expect(await openDiskStore(disk).open('a')).toMatchObject({ session: end, head: 20 });
  });

  it('is consistent whenever it becomes full, and continues from there', async () => {
    const disk = createTestDisk();
    let [store, end] = [openDiskStore(disk), createSampleSession()];
    let at = await store.create(end, 'me');
    for (let round = 0; round < 4; round += 1) {
      disk.fill();
      disk.free(150_000);
      const before = at.head;
      const error = await untilItFails();
      expect(error).toMatchObject({ name: 'StoreError', code: 'full' });
      expect(at.head).toBeGreaterThan(before);
      await store.close();
      store = openDiskStore(disk);
      expect(await store.open('a')).toMatchObject({ session: end, head: at.head });
      expect(await store.verify('a')).toEqual({ ok: true, head: at.head });
    }

    async function untilItFails(): Promise<unknown> {
      try {
        for (;;) {
          at = await appendNextEvent(store, end, at);
          end = step(end, createNextEvent(end)).session;
        }
      } catch (error) {
        return error;
      }
    }
  });

  it('reports on opening that there is no space for its companion files', async () => {
    const disk = createTestDisk();
    const before = openSqliteStore(`${disk.path}/sessions.db`);
    const { end } = await appendSampleEvents(
      before,
      createSampleSession(),
      await before.create(createSampleSession(), 'me'),
      20,
    );
    await before.close();
    disk.fill();
    expect(() => openDiskStore(disk)).toThrow(/^The store is full: ".*Free some space/);
    disk.free();
    expect(await openDiskStore(disk).open('a')).toMatchObject({ session: end, head: 20 });
  });
});
