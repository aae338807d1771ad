import type { Json } from '@pawl/core';
import type { StoredEntry } from '@pawl/core/memory';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { iterateEntries, type EntryStorage } from '../../src/memory/storage.ts';

export function createEntry(key: string, value: Json, savedAt = 1): StoredEntry {
  return { key, value, kind: 'entry', savedAt };
}

const searchKeys = async (
  storage: EntryStorage,
  text: string,
  tags: readonly string[] = [],
  limit?: number,
) => {
  const query = limit === undefined ? { text, tags } : { text, tags, limit };
  return (await storage.search(query)).map(({ key }) => key);
};

/** What every storage promises, whatever it keeps its entries in. */
export function describeStorageContract(open: () => EntryStorage): void {
  const filled = async (...entries: readonly StoredEntry[]): Promise<EntryStorage> => {
    const storage = open();
    for (const each of entries) await storage.save([each]);
    return storage;
  };
  it('loads saved entries and returns null for unknown keys [LKJ1-58, LKJ2-38]', async () => {
    const saved = createEntry('character_alice', { text: 'by the sea', ages: [25, null] }, 1_731_000_000_123);
    const storage = await filled(saved);
    expect(await storage.load('character_alice')).toEqual(saved);
    expect(await storage.load('alice')).toBeNull();
    expect(await storage.count()).toBe(1);
  });

  it('updates an existing entry for loading and searching [LKJ1-63]', async () => {
    const storage = await filled(
      createEntry('plan', 'walk to the harbour'),
      createEntry('plan', 'take the train', 9),
    );
    expect(await storage.load('plan')).toEqual(createEntry('plan', 'take the train', 9));
    expect(await storage.count()).toBe(1);
    expect(await searchKeys(storage, 'harbour')).toEqual([]);
    expect(await searchKeys(storage, 'train')).toEqual(['plan']);
  });

  it('saves all entries of one call or none', async () => {
    const storage = await filled(createEntry('old', 'x'));
    const broken = { ...createEntry('bad', 'y'), key: undefined as never as string };
    await expect(storage.save([createEntry('good', 'y'), createEntry('old', 'z'), broken])).rejects.toThrow();
    expect(await storage.load('good')).toBeNull();
    expect(await storage.load('old')).toEqual(createEntry('old', 'x'));
    await storage.save([]);
    expect(await storage.count()).toBe(1);
  });

  it('removes an entry and returns whether it existed', async () => {
    const storage = await filled(createEntry('a', 'harbour'), createEntry('b', 'harbour'));
    expect(await storage.remove('a')).toBe(true);
    expect(await storage.remove('a')).toBe(false);
    expect(await searchKeys(storage, 'harbour')).toEqual(['b']);
    expect(await storage.load('a')).toBeNull();
  });

  it('finds words in values and keys regardless of case, accents and endings', async () => {
    const storage = await filled(
      createEntry('trip', 'Stopping at a Café in Zürich'),
      createEntry('code', { call: 'createHttpServer(port)' }),
      createEntry('menu', 'ask the server for it'),
      createEntry('character_alice_personality', 'adventurous'),
      createEntry('travel', '明日は京都へ行く予定です'),
    );
    expect(await searchKeys(storage, 'cafe zurich')).toEqual(['trip']);
    expect(await searchKeys(storage, 'stops')).toEqual(['trip']);
    expect(await searchKeys(storage, 'http server')).toEqual(['code', 'menu']);
    expect(await searchKeys(storage, 'alice')).toEqual(['character_alice_personality']);
    expect(await searchKeys(storage, '京都')).toEqual(['travel']);
  });

  it('ranks entries with all words before those with some, regardless of frequency and proximity', async () => {
    const storage = await filled(
      createEntry('lamp', 'lighthouse lighthouse', 9),
      createEntry('walk', `${'a long way along the shore '.repeat(60)} to the red lighthouse`, 1),
      ...Array.from({ length: 12 }, (_, index) => createEntry(`boat${index}`, 'red', 5)),
    );
    const found = await searchKeys(storage, 'red lighthouse', [], 50);
    expect(found[0]).toBe('walk');
    expect(found).toHaveLength(14);
    expect(await searchKeys(storage, 'red lighthouse', ['boat'], 50)).toHaveLength(12);
  });

  it('finds substrings when no word matches', async () => {
    const storage = await filled(
      createEntry('a', 'the hash is 9f86d081884c7d659a2f'),
      createEntry('b', '100% of it'),
    );
    expect(await searchKeys(storage, '81884c7d')).toEqual(['a']);
  });

  it('finds by tags: each must be part of the key, newest first', async () => {
    const storage = await filled(
      createEntry('alice,character', 'x', 1),
      createEntry('bob,character', 'y', 3),
      createEntry('character_Alice_old', 'sea', 2),
    );
    expect(await searchKeys(storage, '', ['character'])).toEqual([
      'bob,character',
      'character_Alice_old',
      'alice,character',
    ]);
    expect(await searchKeys(storage, '', ['character', 'ALICE'])).toEqual([
      'character_Alice_old',
      'alice,character',
    ]);
    expect(await searchKeys(storage, 'sea', ['alice'])).toEqual(['character_Alice_old']);
    expect(await searchKeys(storage, 'sea', ['bob'])).toEqual([]);
    expect(await searchKeys(storage, '', ['%', '_'])).toEqual([]);
  });

  it('returns no more than the limit', async () => {
    const storage = await filled(
      ...Array.from({ length: 30 }, (_, index) => createEntry(`k${index}`, 'same words', index)),
    );
    expect(await searchKeys(storage, 'words')).toHaveLength(20);
    expect(await searchKeys(storage, 'words', [], 3)).toHaveLength(3);
    expect(await searchKeys(storage, '', [], 2)).toEqual(['k29', 'k28']);
    expect(await searchKeys(storage, 'words', [], -1)).toEqual([]);
    expect(await searchKeys(storage, 'words', [], NaN)).toEqual([]);
  });

  it('lists everything in key order, page by page [LKJ1-110]', async () => {
    const entries = Array.from({ length: 1_203 }, (_, index) =>
      createEntry(`k${String(index).padStart(4, '0')}`, index),
    );
    const storage = await filled();
    await storage.save(entries.toReversed());
    expect((await storage.list({ limit: 2 })).map(({ key }) => key)).toEqual(['k0000', 'k0001']);
    expect((await storage.list({ after: 'k1201' })).map(({ key }) => key)).toEqual(['k1202']);
    const all: StoredEntry[] = [];
    for await (const each of iterateEntries(storage)) all.push(each);
    expect(all).toEqual(entries);
  });

  it.each([
    ['quotes', '"unclosed "quotes" \''],
    ['operators', 'NEAR(a b) AND NOT (c OR *) ^d +e -f col:g {h}'],
    ['SQL', "'; DROP TABLE entries; --"],
    ['a pattern', '%_\\%'],
    ['a NUL', 'a\0b'],
    ['half a pair', '\ud800 \udc00'],
    ['signs', '😀 ™ ⌘ ""'],
    ['a long text', 'word '.repeat(50_000)],
  ])('takes %s for a query like any other', async (_, text) => {
    const storage = await filled(createEntry('a', 'plain words'), createEntry('odd', text));
    expect(Array.isArray(await storage.search({ text, tags: [] }))).toBe(true);
    expect(Array.isArray(await storage.search({ text: '', tags: [text] }))).toBe(true);
    expect(await storage.load('odd')).toEqual(createEntry('odd', text));
    expect(await storage.count()).toBe(2);
  });

  it('never throws for a query and returns any value unchanged', async () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 30 });
    const storage = open();
    await fc.assert(
      fc.asyncProperty(
        anyText,
        fc.array(anyText, { maxLength: 3 }),
        fc.jsonValue(),
        async (text, tags, value) => {
          await storage.save([createEntry('any', value as Json), createEntry('text', text)]);
          expect(JSON.stringify(await storage.load('any'))).toBe(
            JSON.stringify(createEntry('any', value as Json)),
          );
          expect(await storage.load('text')).toEqual(createEntry('text', text));
          expect((await storage.search({ text, tags })).length).toBeLessThanOrEqual(2);
        },
      ),
      { numRuns: 80 },
    );
  });

  it('keeps unusual keys distinct', async () => {
    const odd = ['__proto__', 'constructor', 'a,b', 'A,b', '\u00e9', 'e\u0301', "o'clock", '漢字', '-'];
    const storage = await filled(...odd.map((key, index) => createEntry(key, index)));
    for (const [index, key] of odd.entries()) expect((await storage.load(key))?.value).toBe(index);
    expect(await storage.count()).toBe(odd.length);
  });
}
