import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createSession } from '@pawl/core';
import { createMemoryStore } from '@pawl/runtime';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSession, computeShortIds, isSessionInFolder } from '../../src/commands/find-session.ts';
import { createTestWorkspace } from './test-workspace.ts';

/** Windows has no such links, rights, pipes, signals and shell. */
const onUnix = it.skipIf(process.platform === 'win32');

const createStoreWithIds = async (ids: readonly string[], dir = '/work') => {
  const store = createMemoryStore();
  for (const [index, id] of ids.entries()) {
    await store.create(createSession({ id, at: index }), 'a test', { metadata: { dir }, createdAt: index });
  }
  return store;
};

describe('the name of a session', () => {
  it('is its id, or a beginning that no other id has', async () => {
    const store = await createStoreWithIds(['abc-1', 'abd-2', 'abd-22']);
    const named = async (word: string) => (await findSession(store, word, '/')).id;
    expect(await named('abc')).toBe('abc-1');
    expect(await named('abd-2')).toBe('abd-2');
    expect(await named('abd-22')).toBe('abd-22');
    await expect(named('abd')).rejects.toThrow(
      /^"abd" is the beginning of 2 ids: abd-22 .*, abd-2 .*Give more/,
    );
    await expect(named('x')).rejects.toThrow(/^There is no session "x". The newest are abd-22 /);
    await expect(named('')).rejects.toThrow('There is no session ""');
  });

  onUnix('is "last" for the newest of a folder, with links in the way to it followed', async () => {
    const place = createTestWorkspace();
    const link = join(place.dir, 'link');
    symlinkSync(place.dir, link);
    const store = await createStoreWithIds(['old', 'new'], place.dir);
    await store.create(createSession({ id: 'elsewhere', at: 9 }), 'a test', { metadata: { dir: '/' } });
    expect((await findSession(store, 'last', link)).id).toBe('new');
    await expect(findSession(store, 'last', '/nowhere')).rejects.toThrow(
      'No session has worked in "/nowhere" yet. There are 3 elsewhere: pawl sessions --all.',
    );
    await place.close();
  });

  it('is nothing but a name: path characters, patterns and property names lead nowhere', async () => {
    const ids = ['../../etc/passwd', '%', '__proto__', 'a\u001b[2J'];
    const store = await createStoreWithIds(ids);
    for (const id of ids) expect((await findSession(store, id, '/')).id).toBe(id);
    await expect(findSession(store, '../etc', '/')).rejects.toThrow('There is no session');
    await expect(findSession(store, 'constructor', '/')).rejects.toThrow('The newest are a\\x1b[2J (no goal');
  });

  it('can always be shortened to something that still means only that session', async () => {
    const id = fc
      .string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
      .filter((text) => !text.includes('\0'));
    const ids = fc.uniqueArray(
      fc.oneof(id, fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 9, maxLength: 14 })),
    );
    await fc.assert(
      fc.asyncProperty(ids, async (some) => {
        const store = await createStoreWithIds(some);
        for (const [whole, short] of computeShortIds(some)) {
          expect(whole.startsWith(short)).toBe(true);
          expect((await findSession(store, short, '/')).id).toBe(whole);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a session that does not say where it worked', () => {
  it('is at home in no folder', () => {
    expect(isSessionInFolder({ metadata: null }, '/')).toBe(false);
  });
});
