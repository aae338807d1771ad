import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { indexFolder } from '../../src/search-entry.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-refresh-'));
  writeFileSync(join(folder, 'a.md'), 'An apple is red.\n');
  writeFileSync(join(folder, 'b.md'), 'A banana is yellow.\n');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('an index that is refreshed', () => {
  it('finds changed and new text, and no longer finds deleted text', async () => {
    using index = await indexFolder(folder);
    writeFileSync(join(folder, 'a.md'), 'A cherry is dark.\n');
    rmSync(join(folder, 'b.md'));
    mkdirSync(join(folder, 'new'));
    writeFileSync(join(folder, 'new', 'c.md'), 'A date is sweet.\n');
    expect(index.search('cherry').hits).toEqual([]);
    await index.refresh();
    expect(index.search('cherry').hits[0]?.path).toBe('a.md');
    expect(index.search('date').hits[0]?.path).toBe('new/c.md');
    expect(index.search('banana').hits).toEqual([]);
    expect(index.search('apple').hits).toEqual([]);
    expect([...index.paths].toSorted()).toEqual(['a.md', 'new/c.md']);
  });

  it('adds files once they become searchable', async () => {
    writeFileSync(join(folder, 'c.md'), Buffer.from([0, 1, 2]));
    using index = await indexFolder(folder);
    expect(index.skips).toEqual([{ path: 'c.md', reason: 'binary' }]);
    await index.refresh();
    writeFileSync(join(folder, 'c.md'), 'A cherry is dark.\n');
    await index.refresh();
    expect(index.search('cherry').hits[0]?.path).toBe('c.md');
    writeFileSync(join(folder, 'c.md'), Buffer.from([0, 1, 2, 3]));
    await index.refresh();
    expect(index.search('cherry').hits).toEqual([]);
    expect(index.paths).not.toContain('c.md');
  });

  it('applies a changed .gitignore', async () => {
    using index = await indexFolder(folder);
    writeFileSync(join(folder, '.gitignore'), 'b.md\n');
    await index.refresh();
    expect(index.search('banana').hits).toEqual([]);
  });

  it('equals a new index after any changes and concurrent refreshes', async () => {
    const change = fc.record({
      name: fc.constantFrom('a.md', 'b.md', 'c.md', 'd.txt'),
      text: fc.option(fc.constantFrom('one word', 'two words\n\nthree', 'four'), { nil: null }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        using index = await indexFolder(folder);
        for (const { name, text } of changes) {
          if (text === null) rmSync(join(folder, name), { force: true });
          else writeFileSync(join(folder, name), text);
        }
        await Promise.all([index.refresh(), index.refresh(), index.refresh()]);
        using fresh = await indexFolder(folder);
        expect([...index.paths].toSorted()).toEqual([...fresh.paths].toSorted());
        for (const word of ['one', 'two', 'three', 'four', 'apple']) {
          const found = (each: typeof index) =>
            each
              .search(word, 20)
              .hits.map(({ path, text }) => `${path} ${text}`)
              .toSorted();
          expect(found(index)).toEqual(found(fresh));
        }
      }),
      { numRuns: 30 },
    );
  });
});
