import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FolderIndex } from '../../src/search/index-folder.ts';
import { indexFolder } from '../../src/search/index-folder.ts';
import type { TempFolder } from './temp-folder.ts';
import { createTempFolder } from './temp-folder.ts';
import { codePoint } from '../../../core/test/helpers/code-point.ts';

const files = {
  'docs/guide.md': [
    '# Guide',
    'A pawl is a small catch. It stops a wheel that turns backwards.',
    '## Windlass',
    'Sailors haul the anchor with it.',
    '## Brakes',
    'They slow the wheel by friction.',
  ].join('\n'),
  'docs/日本語.md': '状態機械は、歯止めの動きを表す。',
  'docs/korean.md': '상태를 바꾼다',
  'docs/café.md': 'Le café est fermé.',
  'src/wheel-turner.ts':
    'export function createWheelTurner(max_turn_count: number) {\n  return HTTPServer(max_turn_count);\n}',
  'src/gear_box.py': 'def shift_gear(): pass',
  'test/brake.test.ts': "it('slows the wheel by friction', () => {});",
  'package-lock.json': '{ "name": "windlass", "friction": "friction friction", "zebra": "1.0.0" }',
  'notes.txt': 'Party 🎉 time. 100% sure, under_score.',
};

let folder: TempFolder;
let index: FolderIndex;

beforeAll(async () => {
  folder = createTempFolder(files);
  index = await indexFolder(folder.root);
});

afterAll(() => {
  index.close();
  folder[Symbol.dispose]();
});

const searchPaths = (query: string) => index.search(query).hits.map(({ path }) => path);

describe('a search', () => {
  it('returns the location, heading and terms of a passage', () => {
    expect(index.search('haul anchor').hits[0]).toEqual({
      path: 'docs/guide.md',
      first: 3,
      last: 4,
      heading: 'Windlass',
      text: '## Windlass\nSailors haul the anchor with it.',
      rank: 1,
      terms: ['haul', 'anchor'],
    });
  });

  it('reports whether one passage has all terms, and how many passages have any', () => {
    expect(index.search('pawl wheel')).toMatchObject({ matched: 'all' });
    expect(index.search('sailors friction')).toMatchObject({ matched: 'any', total: 4 });
    expect(index.search('xylophone')).toMatchObject({ matched: 'none', total: 0, hits: [] });
  });

  it('reports for each term whether it is a word, part of a word, or not found', () => {
    expect(index.search('pawl ackward xylophone').terms).toEqual([
      { term: 'pawl', passages: 1, found: 'word', similar: null },
      { term: 'ackward', passages: 1, found: 'part', similar: null },
      { term: 'xylophone', passages: 0, found: 'nowhere', similar: null },
    ]);
  });

  it('counts a passage with a word and a part once', () => {
    expect(index.search('pawl ackward').total).toBe(1);
  });

  it('ranks a passage with more of the terms first', () => {
    expect(searchPaths('wheel friction')[0]).toBe('docs/guide.md');
    expect(index.search('wheel friction').hits[0]?.terms).toEqual(['wheel', 'friction']);
  });

  it('ranks it before a passage that repeats one of them', async () => {
    using other = createTempFolder({
      'a-often.md': 'alpha alpha alpha alpha',
      'b-both.md': `${'Some other words to make it long.\n'.repeat(15)}alpha beta`,
      ...Object.fromEntries(
        ['c', 'd', 'e', 'f', 'g'].map((name) => [`${name}.md`, name === 'c' ? 'beta' : 'gamma']),
      ),
    });
    using both = await indexFolder(other.root);
    expect(both.search('alpha').hits[0]?.path).toBe('a-often.md');
    expect(both.search('alpha beta').hits[0]?.path).toBe('b-both.md');
  });

  it('returns at most the requested number of hits', () => {
    expect(index.search('wheel', 1).hits).toHaveLength(1);
  });
});

describe('a word is found', () => {
  it.each([
    ['in another form', 'stopping wheels', 'docs/guide.md'],
    ['inside a camelCase name', 'turner', 'src/wheel-turner.ts'],
    ['inside an acronym and a word', 'server', 'src/wheel-turner.ts'],
    ['inside a snake_case name', 'shift', 'src/gear_box.py'],
    ['as a whole identifier', 'createWheelTurner', 'src/wheel-turner.ts'],
    ['as words that an identifier is made of', 'create wheel turner', 'src/wheel-turner.ts'],
    ['as an identifier for words', 'maxTurnCount', 'src/wheel-turner.ts'],
    ['in the name of a file', 'gear_box.py', 'src/gear_box.py'],
    ['inside the name of a file', 'urner.t', 'src/wheel-turner.ts'],
    ['in a path', 'src/wheel-turner.ts', 'src/wheel-turner.ts'],
    ['in a heading', 'windlass', 'docs/guide.md'],
    ['without its accent', 'cafe ferme', 'docs/café.md'],
    ['in a script without spaces', '状態機械', 'docs/日本語.md'],
    ['in a question without spaces', '歯止めとは何ですか', 'docs/日本語.md'],
    ['as a part of a longer one', '상태', 'docs/korean.md'],
    ['when it is a sign', '🎉', 'notes.txt'],
    ['in a quoted phrase', '"small catch"', 'docs/guide.md'],
    ['in backticks', '`shift_gear`', 'src/gear_box.py'],
    ['with a possessive', "the pawl's", 'docs/guide.md'],
  ])('%s: %s', (_how, query, path) => {
    expect(searchPaths(query)[0]).toBe(path);
  });
});

describe('a word inside a longer one', () => {
  it.each(['turner', 'server', 'shift', '機械'])('counts as a word: %s', (query) => {
    expect(index.search(query).terms[0]?.found).toBe('word');
  });
});

describe('the order', () => {
  it('ranks documents before tests and both before lock files', () => {
    const order = searchPaths('friction');
    expect(order).toEqual(['docs/guide.md', 'test/brake.test.ts', 'package-lock.json']);
  });

  it('still finds text that only a lock file has', () => {
    expect(searchPaths('zebra')).toEqual(['package-lock.json']);
  });

  it('ranks a file first that is requested by name', () => {
    expect(searchPaths('friction brake.test.ts')[0]).toBe('test/brake.test.ts');
  });
});

describe('nothing in a query is syntax', () => {
  it.each([
    '"',
    '""',
    "'",
    '*',
    '(',
    ')',
    'AND',
    'NOT pawl',
    'pawl AND',
    'pawl OR OR',
    'NEAR(',
    'text:pawl',
    '^pawl',
  ])('%s', (query) => {
    expect(() => index.search(query)).not.toThrow();
  });

  it('treats the percent sign and the underscore literally', () => {
    expect(searchPaths('"00% sur"')).toEqual(['notes.txt']);
    expect(searchPaths('"er_scor"')).toEqual(['notes.txt']);
    expect(searchPaths('"erXscor"')).toEqual([]);
  });

  it('finds words next to operators and symbols', () => {
    expect(searchPaths('(pawl) AND "catch"*')[0]).toBe('docs/guide.md');
    expect(searchPaths('\0pawl\0')[0]).toBe('docs/guide.md');
  });

  it('has no terms when it is blank', () => {
    expect(index.search(' \n\t\0 ')).toEqual({ matched: 'none', total: 0, terms: [], hits: [] });
  });

  it('uses only the beginning of a very long query', () => {
    const result = index.search(`pawl ${'lorem '.repeat(20_000)}${'x'.repeat(100_000)}`);
    expect(result.terms.length).toBeLessThanOrEqual(16);
    expect(result.hits[0]?.path).toBe('docs/guide.md');
  });

  it('uses stop words only if there are no other words', () => {
    expect(index.search('what is the pawl').terms.map(({ term }) => term)).toEqual(['pawl']);
    expect(index.search('what is it').terms.map(({ term }) => term)).toEqual(['what', 'is', 'it']);
  });

  it('never fails for any query', () => {
    const query = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.string(),
      fc.stringMatching(/^["'()*:^{}+\-ANDORTE \0]*$/),
    );
    fc.assert(
      fc.property(query, (text) => {
        const { hits, total } = index.search(text);
        return hits.length <= 10 && total >= hits.length;
      }),
    );
  });

  it('is deterministic', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 5 }), (text) => {
        expect(index.search(`wheel ${text}`)).toEqual(index.search(`wheel ${text}`));
      }),
    );
  });
});

describe('a misspelled word', () => {
  it('gets a suggestion of the intended word', () => {
    expect(index.search('windlsas').terms[0]).toMatchObject({ found: 'nowhere', similar: 'windlass' });
    expect(index.search('wnidlass').terms[0]).toMatchObject({ found: 'nowhere', similar: 'windlass' });
    expect(index.search('bakcwards').terms[0]).toMatchObject({ found: 'nowhere', similar: 'backwards' });
  });

  it('gets no suggestion if it is short or far from any word', () => {
    expect(index.search('pxwl').terms[0]?.similar).toBeNull();
    expect(index.search('pwal').terms[0]?.similar).toBe('pawl');
    expect(index.search('wonderful').terms[0]?.similar).toBeNull();
  });
});
