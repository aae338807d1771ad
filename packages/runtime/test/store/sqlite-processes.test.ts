import { replay } from '@pawl/core';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite-store.ts';
import { createTempFolder } from '../search/temp-folder.ts';
import { listStoredEvents, createSampleSession } from './sample-session.ts';

const appenderScript = fileURLToPath(new URL('fixtures/appender.ts', import.meta.url));
const openerScript = fileURLToPath(new URL('fixtures/opener.ts', import.meta.url));

type ScriptProcess = ChildProcessByStdio<null, Readable, null>;

function spawnScript(script: string, ...args: readonly string[]): ScriptProcess {
  return spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

function startAppender(path: string, id: string, count: number): ScriptProcess {
  return spawnScript(appenderScript, path, id, String(count));
}

/** The numbers it has printed by its end: of whole lines only, since it may be killed within one. */
async function readPrintedNumbers(child: ScriptProcess): Promise<readonly number[]> {
  return (await text(child.stdout)).split('\n').slice(0, -1).map(Number);
}

function listNumbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

describe('processes that share a store', () => {
  it('may open a new file concurrently', async () => {
    using folder = createTempFolder();
    const start = String(Date.now() + 1_000);
    const openers = [1, 2, 3, 4].map(() => spawnScript(openerScript, folder.root, start, '25'));
    const opened = await Promise.all(openers.map(readPrintedNumbers));
    expect(opened.map(({ length }) => length)).toEqual([25, 25, 25, 25]);
  });

  it('write to different sessions concurrently', async () => {
    using folder = createTempFolder();
    const path = folder.at('sessions.db');
    const store = openSqliteStore(path);
    await store.create(createSampleSession('a'), 'one');
    await store.create(createSampleSession('b'), 'two');
    const kept = await Promise.all(['a', 'b'].map((id) => readPrintedNumbers(startAppender(path, id, 150))));
    expect(kept).toEqual([listNumbers(150), listNumbers(150)]);
    for (const id of ['a', 'b']) {
      expect(await store.verify(id)).toEqual({ ok: true, head: 150 });
      expect((await store.open(id)).session).toStrictEqual(
        replay(createSampleSession(id), await listStoredEvents(store, id)),
      );
    }
    await store.close();
  });

  it('write to one session, each event under its own number', async () => {
    using folder = createTempFolder();
    const path = folder.at('sessions.db');
    const store = openSqliteStore(path);
    await store.create(createSampleSession(), 'both');
    const kept = await Promise.all([1, 2].map(() => readPrintedNumbers(startAppender(path, 'a', 100))));
    expect(kept.flat().toSorted((a, b) => a - b)).toEqual(listNumbers(200));
    expect(await store.verify('a')).toEqual({ ok: true, head: 200 });
    expect((await store.open('a')).session).toStrictEqual(
      replay(createSampleSession(), await listStoredEvents(store, 'a')),
    );
    await store.close();
  });

  it('may be killed at any moment without losing acknowledged events or breaking the chain', async () => {
    using folder = createTempFolder();
    const path = folder.at('sessions.db');
    const first = openSqliteStore(path);
    await first.create(createSampleSession(), 'me');
    await first.close();
    let kept = 0;
    for (const waitMs of [0, 3, 11, 27, 50]) {
      const child = startAppender(path, 'a', 1_000_000);
      await once(child.stdout, 'readable');
      setTimeout(() => child.kill('SIGKILL'), waitMs);
      const [numbers, [, signal]] = await Promise.all([readPrintedNumbers(child), once(child, 'exit')]);
      expect(signal).toBe('SIGKILL');
      expect(numbers.length).toBeGreaterThan(0);
      expect(numbers[0]).toBe(kept + 1);
      const store = openSqliteStore(path);
      const { head, session: opened } = await store.open('a');
      // The very last may have been kept and not have been told any more.
      expect(head - (numbers.at(-1) ?? 0)).toBeGreaterThanOrEqual(0);
      expect(head - (numbers.at(-1) ?? 0)).toBeLessThanOrEqual(1);
      expect(await store.verify('a')).toEqual({ ok: true, head });
      expect(opened).toStrictEqual(replay(createSampleSession(), await listStoredEvents(store, 'a')));
      await store.close();
      kept = head;
    }
  });
});
