import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createSession } from '@pawl/core';
import { createMemoryStore } from '@pawl/runtime/store';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSession, computeShortIds, isSessionInFolder } from '../../src/sessions/find-session.ts';
import { createTestWorkspace } from './test-workspace.ts';

const createStoreWithIds = async (ids: readonly string[], dir = '/work') => {
  const store = createMemoryStore();
  for (const [index, id] of ids.entries()) {
    await store.create(createSession({ id, at: index }), 'a test', { metadata: { dir }, createdAt: index });
  }
  return store;
};

describe('a session name', () => {
  it('is an id or a unique id prefix', async () => {
    const store = await createStoreWithIds(['abc-1', 'abd-2', 'abd-22']);
    const findId = async (name: string) => (await findSession(store, name, '/')).id;
    expect(await findId('abc')).toBe('abc-1');
    expect(await findId('abd-2')).toBe('abd-2');
    expect(await findId('abd-22')).toBe('abd-22');
    await expect(findId('abd')).rejects.toThrow(
      /^"abd" matches 2 session ids: abd-22 .*, abd-2 .*Use a longer prefix/,
    );
    await expect(findId('x')).rejects.toThrow(/^There is no session "x". The newest are abd-22 /);
    await expect(findId('')).rejects.toThrow('There is no session ""');
  });

  it(
    'is "last" for the newest session of a folder, with symbolic links resolved',
    { tags: ['unix'] },
    async () => {
      const workspace = createTestWorkspace();
      const link = join(workspace.dir, 'link');
      symlinkSync(workspace.dir, link);
      const store = await createStoreWithIds(['old', 'new'], workspace.dir);
      await store.create(createSession({ id: 'elsewhere', at: 9 }), 'a test', { metadata: { dir: '/' } });
      expect((await findSession(store, 'last', link)).id).toBe('new');
      await expect(findSession(store, 'last', '/nowhere')).rejects.toThrow(
        'No session has run in "/nowhere" yet. To list the 3 sessions of other folders: pawl sessions --all',
      );
      await workspace.close();
    },
  );

  it('is never interpreted as a path, a pattern or a property', async () => {
    const ids = ['../../etc/passwd', '%', '__proto__', 'a\u001b[2J'];
    const store = await createStoreWithIds(ids);
    for (const id of ids) expect((await findSession(store, id, '/')).id).toBe(id);
    await expect(findSession(store, '../etc', '/')).rejects.toThrow('There is no session');
    await expect(findSession(store, 'constructor', '/')).rejects.toThrow('The newest are a\\x1b[2J (no goal');
  });

  it('can always be shortened to a prefix that matches only that session', async () => {
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

describe('a session without a recorded folder', () => {
  it('belongs to no folder', () => {
    expect(isSessionInFolder({ metadata: null }, '/')).toBe(false);
  });
});
