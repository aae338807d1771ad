import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createSession } from '@pawl/core';
import { createMemoryStore } from '@pawl/runtime';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sessionNamed, shortIds, worksIn } from '../../src/commands/session-named.ts';
import { makePlace } from './kept-sessions.ts';

const storeWith = async (ids: readonly string[], dir = '/work') => {
  const store = createMemoryStore();
  for (const [index, id] of ids.entries()) {
    await store.create(createSession({ id, at: index }), 'a test', { about: { dir }, createdAt: index });
  }
  return store;
};

describe('the name of a session', () => {
  it('is its id, or a beginning that no other id has', async () => {
    const store = await storeWith(['abc-1', 'abd-2', 'abd-22']);
    const named = async (word: string) => (await sessionNamed(store, word, '/')).id;
    expect(await named('abc')).toBe('abc-1');
    expect(await named('abd-2')).toBe('abd-2');
    expect(await named('abd-22')).toBe('abd-22');
    await expect(named('abd')).rejects.toThrow(
      /^"abd" is the beginning of 2 ids: abd-22 .*, abd-2 .*Give more/,
    );
    await expect(named('x')).rejects.toThrow(/^There is no session "x". The newest are abd-22 /);
    await expect(named('')).rejects.toThrow('There is no session ""');
  });

  it('is "last" for the newest of a folder, with links in the way to it followed', async () => {
    const place = makePlace();
    const link = join(place.dir, 'link');
    symlinkSync(place.dir, link);
    const store = await storeWith(['old', 'new'], place.dir);
    await store.create(createSession({ id: 'elsewhere', at: 9 }), 'a test', { about: { dir: '/' } });
    expect((await sessionNamed(store, 'last', link)).id).toBe('new');
    await expect(sessionNamed(store, 'last', '/nowhere')).rejects.toThrow(
      'No session has worked in "/nowhere" yet. There are 3 elsewhere: pawl sessions --all.',
    );
    await place.close();
  });

  it('is nothing but a name: path characters, patterns and property names lead nowhere', async () => {
    const ids = ['../../etc/passwd', '%', '__proto__', 'a\u001b[2J'];
    const store = await storeWith(ids);
    for (const id of ids) expect((await sessionNamed(store, id, '/')).id).toBe(id);
    await expect(sessionNamed(store, '../etc', '/')).rejects.toThrow('There is no session');
    await expect(sessionNamed(store, 'constructor', '/')).rejects.toThrow(
      'The newest are a\\x1b[2J (no goal',
    );
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
        const store = await storeWith(some);
        for (const [whole, short] of shortIds(some)) {
          expect(whole.startsWith(short)).toBe(true);
          expect((await sessionNamed(store, short, '/')).id).toBe(whole);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a session that does not say where it worked', () => {
  it('is at home in no folder', () => {
    expect(worksIn({ about: null }, '/')).toBe(false);
  });
});
