import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getStorageFile } from '@pawl/runtime/data-folder';
import { openSqliteStorage } from '@pawl/runtime/storage';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../src/main.ts';
import { captureIo } from '../capture-io.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-memory-'));
});
afterEach(() => rm(folder, { recursive: true }));

type PawlResult = { readonly code: number; readonly out: string; readonly err: string };

async function runMemoryCommand(...args: readonly string[]): Promise<PawlResult> {
  const { io, out, err } = captureIo();
  const code = await main(['memory', ...args], io);
  return { code, out: out(), err: err() };
}

const getTestPath = (name: string): string => join(folder, name);

async function writeJsonFile(name: string, content: unknown): Promise<string> {
  await writeFile(getTestPath(name), typeof content === 'string' ? content : JSON.stringify(content));
  return getTestPath(name);
}

function splitLines(text: string): readonly string[] {
  return text.trimEnd().split('\n');
}

function parseJsonLines(text: string): readonly Readonly<Record<string, unknown>>[] {
  return splitLines(text).map((line) => JSON.parse(line) as Record<string, unknown>);
}

function readJsonFile(path: string): Record<string, Record<string, unknown>> {
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, Record<string, unknown>>;
}

/** The first layout, with its logs at the top. */
const legacy = {
  working_memory: { character_alice: 'adventurous', 'plan, chapter': ['one', 'two'] },
  storage: { story_plot: 'Alice discovers a letter in the attic', character_bob: 'old' },
  state: 'executing',
  thinking_log_001: 'First I look.',
  mood: 'curious',
};

describe('pawl memory list', () => {
  it('lists working memory and storage, and names the file [LKJ1-110, LKJ1-109]', async () => {
    const path = await writeJsonFile('old.json', legacy);
    const { code, out, err } = await runMemoryCommand('list', '--file', path);
    expect(code).toBe(0);
    expect(splitLines(out)).toEqual([
      'working_memory  character_alice: adventurous',
      'working_memory  chapter,plan: ["one","two"]',
      'working_memory  thinking_log_001 (think-log): First I look.',
      'storage         story_plot: Alice discovers a letter in the attic',
      'storage         character_bob: old',
    ]);
    expect(err).toBe(`Using the memory document ${JSON.stringify(path)}.\n`);
  });

  it('counts tags, most used first, without logs', async () => {
    const path = await writeJsonFile('m.json', { ...legacy, storage: { plan: 'x', 'plan,b': 'y' } });
    expect(parseJsonLines((await runMemoryCommand('list', '--tags', '--json', '--file', path)).out)).toEqual([
      { tag: 'plan', entries: 3 },
      { tag: 'b', entries: 1 },
      { tag: 'chapter', entries: 1 },
      { tag: 'character_alice', entries: 1 },
    ]);
    expect(splitLines((await runMemoryCommand('list', '--tags', '--file', path)).out)[0]).toBe(
      '     3  plan',
    );
  });

  it('prints one JSON object per line, with the full value', async () => {
    const path = await writeJsonFile('m.json', { working_memory: {}, storage: { long: 'x'.repeat(5_000) } });
    const [row] = parseJsonLines((await runMemoryCommand('list', '--json', '--file', path)).out);
    expect(row).toMatchObject({ place: 'storage', key: 'long', kind: 'entry', value: 'x'.repeat(5_000) });
    expect((await runMemoryCommand('list', '--file', path)).out).toBe(
      `storage         long: ${'x'.repeat(100)} …\n`,
    );
  });

  it('escapes control characters in values and keys', async () => {
    const storage = { 'a\u202eb': '\u001b[31mred\nline \ud800' };
    const path = await writeJsonFile('m.json', { working_memory: {}, storage });
    expect((await runMemoryCommand('list', '--file', path)).out).toBe(
      'storage         a\\u202eb: \\x1b[31mred⏎line \ufffd\n',
    );
  });

  it('lists a SQLite storage', async () => {
    const storage = openSqliteStorage(getTestPath('s.sqlite'));
    await storage.save([{ key: 'plot', value: 'A letter', kind: 'entry', savedAt: 5 }]);
    await storage.close();
    const { out, err } = await runMemoryCommand('list', '--json', '--storage', getTestPath('s.sqlite'));
    expect(parseJsonLines(out)).toEqual([
      { place: 'storage', key: 'plot', kind: 'entry', pinned: false, at: 5, value: 'A letter' },
    ]);
    expect(err).toContain('Using the storage');
  });

  it('recognizes logs by the names in the agent configuration', async () => {
    await mkdir(getTestPath('data'));
    await writeJsonFile('data/config.json', { agent: { think_log: { key_prefix: 'mind_' } } });
    const thoughts = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`mind_${100 + index}`, 'hm']),
    );
    const path = await writeJsonFile('data/memory.json', {
      working_memory: thoughts,
      storage: {},
      state: 'thinking',
    });
    const { out } = await runMemoryCommand('list', '--file', path);
    expect(splitLines(out)).toHaveLength(12);
    expect(splitLines(out)[11]).toBe('working_memory  mind_012 (think-log): hm');
  });
});

describe('pawl memory --dir', () => {
  const dataHome = process.env['XDG_DATA_HOME'];
  beforeEach(() => {
    process.env['XDG_DATA_HOME'] = getTestPath('home');
  });
  afterEach(() => {
    if (dataHome === undefined) delete process.env['XDG_DATA_HOME'];
    else process.env['XDG_DATA_HOME'] = dataHome;
  });

  it('finds the storage of the folder, and prefers a memory document in it', async () => {
    const shelf = getStorageFile(await realpath(folder));
    await mkdir(dirname(shelf), { recursive: true });
    await runMemoryCommand('import', await writeJsonFile('from.json', legacy), '--storage', shelf);
    expect((await runMemoryCommand('list', '--dir', folder)).err).toBe(
      `Using the storage ${JSON.stringify(shelf)}.\n`,
    );
    await mkdir(getTestPath('data'));
    const path = await writeJsonFile('data/memory.json', legacy);
    expect((await runMemoryCommand('search', 'alice', '-d', folder)).err).toBe(
      `Using the memory document ${JSON.stringify(path)}.\n`,
    );
  });

  it.each([['list'], ['search', 'x'], ['export'], ['import', 'x.json']])(
    'reports that the folder has no memory: %s',
    async (...args) => {
      for (const dir of [folder, getTestPath('nowhere')]) {
        const { code, out, err } = await runMemoryCommand(...args, '--dir', dir);
        expect({ code, out }).toEqual({ code: 2, out: '' });
        expect(err).toContain(`No memory found for the folder ${JSON.stringify(dir)}`);
        expect(splitLines(err)).toHaveLength(1);
      }
    },
  );
});

describe('the memory of a run', () => {
  it('can be listed, exported and imported into another folder', async () => {
    await writeJsonFile('notes.md', '# Party\n\nThe garden party is on the first of May.\n');
    const { io } = captureIo();
    expect(await main(['run', '-p', 'lkj', '-d', folder, 'When is the garden party?'], io)).toBe(0);
    const listed = await runMemoryCommand('list', '--dir', folder);
    expect(listed.out).toMatch(/^working_memory  think_log_001 \(think-log\): /m);
    await runMemoryCommand('export', '--dir', folder, '-o', getTestPath('taken.json'));
    await runMemoryCommand(
      'import',
      getTestPath('taken.json'),
      '--file',
      getTestPath('other/data/memory.json'),
    );
    expect((await runMemoryCommand('list', '--dir', getTestPath('other'))).out).toBe(listed.out);
  });
});

describe('pawl memory search', () => {
  it('finds words in values and tags, in working memory and in storage', async () => {
    const path = await writeJsonFile('m.json', legacy);
    const { out } = await runMemoryCommand('search', 'alice', '--file', path);
    expect(splitLines(out)).toEqual([
      'working_memory  character_alice: adventurous',
      'storage         story_plot: Alice discovers a letter in the attic',
    ]);
  });

  it('reports no match without failing', async () => {
    const path = await writeJsonFile('m.json', legacy);
    const { code, out, err } = await runMemoryCommand('search', 'zebra', '--file', path);
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toContain('No entry matches zebra.');
  });

  it('searches SQLite with any characters in the words', async () => {
    await runMemoryCommand(
      'import',
      await writeJsonFile('m.json', legacy),
      '--storage',
      getTestPath('s.sqlite'),
    );
    const search = (words: string) =>
      runMemoryCommand('search', '--storage', getTestPath('s.sqlite'), '--', words);
    expect((await search('attic letters')).out).toContain('story_plot');
    for (const words of ['"', 'NEAR(', '*', "'; DROP TABLE entries; --"])
      expect((await search(words)).code).toBe(0);
    expect((await runMemoryCommand('list', '--storage', getTestPath('s.sqlite'))).out).toContain(
      'story_plot',
    );
  });
});

describe('pawl memory export', () => {
  it('prints one JSON object that parses as a memory document, including unknown keys', async () => {
    const { out } = await runMemoryCommand('export', '--file', await writeJsonFile('m.json', legacy));
    expect(JSON.parse(out)).toMatchObject({
      working_memory: { character_alice: 'adventurous', 'chapter,plan': ['one', 'two'] },
      storage: legacy.storage,
      state: 'executing',
      thinking_log_001: 'First I look.',
      mood: 'curious',
    });
  });

  it('overwrites a file only with --force, and leaves no temporary file', async () => {
    const path = await writeJsonFile('m.json', legacy);
    const out = await writeJsonFile('there.json', 'mine');
    const refused = await runMemoryCommand('export', '--file', path, '-o', out);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toMatch(/there\.json": the file exists\. .*--force/);
    expect(readFileSync(out, 'utf8')).toBe('mine');
    expect(await runMemoryCommand('export', '--file', path, '-o', out, '--force')).toMatchObject({
      code: 0,
      out: '',
    });
    expect(readJsonFile(out)['storage']).toEqual(legacy.storage);
    expect((await readdir(folder)).toSorted()).toEqual(['m.json', 'there.json']);
  });
});

describe('pawl memory import', () => {
  it('merges entries: imported values override, and imported logs go to storage', async () => {
    const from = await writeJsonFile('from.json', {
      ...legacy,
      working_memory: { plan: 'new', extra: 'more' },
    });
    const into = await writeJsonFile('into.json', {
      working_memory: { plan: 'old', think_log_001: 'mine' },
      storage: { story_plot: 'nothing yet', mine: 'kept' },
      state: 'evaluating',
    });
    const { code, out } = await runMemoryCommand('import', from, '--file', into, '--json');
    expect(code).toBe(0);
    expect(parseJsonLines(out)).toMatchObject([{ working_memory: 2, storage: 3, replaced: 2, removed: 0 }]);
    const after = readJsonFile(into);
    expect(after['working_memory']).toEqual({ plan: 'new', think_log_001: 'mine', extra: 'more' });
    expect(after['storage']).toMatchObject({ ...legacy.storage, mine: 'kept' });
    expect(Object.values(after['storage'] ?? {})).toContain('First I look.');
    expect(after['state']).toBe('evaluating');
    expect(readJsonFile(`${into}.last-good`)['working_memory']).toEqual({
      plan: 'old',
      think_log_001: 'mine',
    });
  });

  it('replaces all existing entries with --replace', async () => {
    const into = await writeJsonFile('into.json', {
      working_memory: { plan: 'old' },
      storage: { mine: 'x' },
      state: 'thinking',
    });
    const { out } = await runMemoryCommand(
      'import',
      await writeJsonFile('from.json', legacy),
      '--replace',
      '--file',
      into,
    );
    expect(out).toBe(
      `Imported into ${JSON.stringify(into)}: 3 entries into working memory, 2 into storage; 0 replaced, 2 removed.\n`,
    );
    const after = readJsonFile(into);
    expect(after['storage']).toEqual(legacy.storage);
    expect(after['state']).toBe('executing');
    expect(after['mood']).toBe('curious');
  });

  it('imports working memory into a storage, and keeps both of two values with one key', async () => {
    const from = await writeJsonFile('m.json', {
      working_memory: { a: 1, b: 2 },
      storage: { a: 0 },
      state: 'thinking',
    });
    await runMemoryCommand('import', from, '--storage', getTestPath('s.sqlite'));
    const rows = parseJsonLines(
      (await runMemoryCommand('list', '--json', '--storage', getTestPath('s.sqlite'))).out,
    );
    expect(rows.map(({ key, value }) => [key, value])).toEqual([
      ['a', 0],
      ['a,working_memory', 1],
      ['b', 2],
    ]);
    const other = await writeJsonFile('other.json', { working_memory: {}, storage: { b: 3 } });
    const replaced = await runMemoryCommand(
      'import',
      other,
      '--replace',
      '--json',
      '--storage',
      getTestPath('s.sqlite'),
    );
    expect(parseJsonLines(replaced.out)).toMatchObject([{ storage: 1, replaced: 1, removed: 2 }]);
    expect(
      parseJsonLines((await runMemoryCommand('list', '--json', '--storage', getTestPath('s.sqlite'))).out),
    ).toMatchObject([{ key: 'b', value: 3 }]);
  });

  it('imports logs into a storage under keys that no log of another agent has', async () => {
    await runMemoryCommand(
      'import',
      await writeJsonFile('m.json', legacy),
      '--storage',
      getTestPath('s.sqlite'),
    );
    const rows = parseJsonLines(
      (await runMemoryCommand('list', '--json', '--storage', getTestPath('s.sqlite'))).out,
    );
    expect(rows.filter(({ kind }) => kind === 'think-log')).toMatchObject([
      { key: expect.stringMatching(/^imported_\d+,thinking_log_001$/), value: 'First I look.' },
    ]);
  });

  it('is idempotent', async () => {
    const from = await writeJsonFile('m.json', legacy);
    for (const target of [
      ['--file', getTestPath('into.json')],
      ['--storage', getTestPath('s.sqlite')],
    ]) {
      await runMemoryCommand('import', from, ...target);
      const once = (await runMemoryCommand('list', '--json', ...target)).out;
      expect((await runMemoryCommand('import', from, ...target)).out).toContain(' 0 replaced');
      const keys = (text: string) =>
        parseJsonLines(text)
          .map(({ key, value }) => JSON.stringify([key, value]))
          .toSorted();
      const more = keys((await runMemoryCommand('list', '--json', ...target)).out);
      expect(more).toEqual(expect.arrayContaining([...keys(once)]));
    }
  });

  it('restores an export, through a document and through a storage', async () => {
    const keys = fc.oneof(
      fc.constantFrom('__proto__', 'constructor', 'a,b'),
      fc.string({ minLength: 1, maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(keys, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 6 }),
        async (storage) => {
          const from = await writeJsonFile('from.json', { working_memory: {}, storage, state: 'thinking' });
          const first = JSON.parse((await runMemoryCommand('export', '--file', from)).out) as {
            readonly storage: object;
          };
          await runMemoryCommand(
            'import',
            await writeJsonFile('first.json', first),
            '--replace',
            '--storage',
            getTestPath('s.sqlite'),
          );
          await runMemoryCommand(
            'export',
            '--storage',
            getTestPath('s.sqlite'),
            '--force',
            '-o',
            getTestPath('second.json'),
          );
          await runMemoryCommand(
            'import',
            getTestPath('second.json'),
            '--replace',
            '--file',
            getTestPath('last.json'),
          );
          expect(readJsonFile(getTestPath('last.json'))['storage']).toEqual(first.storage);
          expect(Object.keys(first.storage)).toHaveLength(Object.keys(storage).length);
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('pawl memory with invalid arguments', () => {
  const good = { working_memory: {}, storage: { a: 'kept' }, state: 'thinking' };

  it.each([
    ['{"storage": {', /is damaged: it is not JSON/],
    ['[]', /expected a JSON object/],
    ['{"name": "pawl", "version": "1"}', /neither working_memory nor storage/],
    ['{"storage": []}', /expected an object as storage/],
    ['{"working_memory": 5}', /expected an object as working_memory/],
    [`{"storage": {"a": ${'['.repeat(200)}${']'.repeat(200)}}}`, /nested more than 100 levels deep/],
    ['\u0000', /is damaged/],
  ])('imports nothing of a file that is none, and says why: %j', async (content, message) => {
    const from = await writeJsonFile('from.json', content);
    const into = await writeJsonFile('into.json', good);
    for (const target of [
      ['--file', into],
      ['--file', getTestPath('new.json')],
      ['--storage', getTestPath('s.sqlite')],
    ]) {
      const { code, out, err } = await runMemoryCommand('import', from, '--replace', ...target);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(message);
      expect(splitLines(err)).toHaveLength(1);
      expect(err).toContain(JSON.stringify(from));
    }
    expect(readJsonFile(into)).toEqual(good);
    expect((await readdir(folder)).toSorted()).toEqual(['from.json', 'into.json']);
  });

  it('does not change a damaged document, and names the previous version', async () => {
    const path = await writeJsonFile('m.json', '{"storage"');
    await writeJsonFile('m.json.last-good', good);
    for (const args of [
      ['list'],
      ['search', 'x'],
      ['export'],
      ['import', await writeJsonFile('from.json', good)],
    ]) {
      const { code, err } = await runMemoryCommand(...args, '--file', path);
      expect(code).toBe(2);
      expect(err).toContain(`The previous version is ${JSON.stringify(`${path}.last-good`)}.`);
    }
    expect(readFileSync(path, 'utf8')).toBe('{"storage"');
    expect((await readdir(folder)).some((name) => name.includes('damaged'))).toBe(false);
  });

  it.each([['list'], ['search', 'x'], ['export']])('never creates a memory on read: %s', async (...args) => {
    const missing = await runMemoryCommand(...args, '--file', getTestPath('none.json'));
    expect(missing.code).toBe(2);
    expect(missing.err).toMatch(/The memory file ".*none\.json" does not exist\. Check the path/);
    const none = await runMemoryCommand(...args, '--storage', getTestPath('none.sqlite'));
    expect(none.code).toBe(2);
    expect(none.err).toMatch(/The storage ".*none\.sqlite"/);
    expect(existsSync(getTestPath('none.sqlite'))).toBe(false);
  });

  it.each([
    [['list', '--file', 'a', '--storage', 'b'], 'not both'],
    [['import', 'x.json', '--merge', '--replace', '--file', 'a'], 'Use --merge or --replace, not both.'],
    [['search', ' ', '--file', 'a'], 'Enter words to search for'],
    [['import', 'no-such.json', '--file', 'a.json'], 'the file does not exist'],
    [['lst'], 'Did you mean list?'],
    [['list', '--tag'], 'Did you mean --tags?'],
  ])('says so in one line: %j', async (args, message) => {
    const { code, out, err } = await runMemoryCommand(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(splitLines(err)).toHaveLength(1);
    expect(err).toContain(message);
  });

  it('reports errors in the configuration beside the document', async () => {
    await mkdir(getTestPath('data'));
    await writeJsonFile('data/config.json', { agent: { think_log: { max_entries: 'many' } } });
    const { code, err } = await runMemoryCommand(
      'list',
      '--file',
      await writeJsonFile('data/memory.json', good),
    );
    expect(code).toBe(2);
    expect(err).toContain('agent.think_log.max_entries expects');
  });

  it('rejects a file that is not a storage', async () => {
    const { code, err } = await runMemoryCommand(
      'list',
      '--storage',
      await writeJsonFile('m.json', `${JSON.stringify(good)}${' '.repeat(200)}`),
    );
    expect(code).toBe(2);
    expect(err).toContain('This file is not a storage');
  });
});
