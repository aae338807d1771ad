import type { Json } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import { indexFolder } from '../../src/search/index-folder.ts';
import { finishTool } from '../../src/tools/librarian-tools.ts';
import { createSearchTool, searchOutputSchema } from '../../src/tools/search.ts';
import { createTempFolder } from '../search/temp-folder.ts';

const context = { signal: new AbortController().signal, report() {} };

async function runSearchTool(files: Readonly<Record<string, string>>, args: Json) {
  using folder = createTempFolder(files);
  using index = await indexFolder(folder.root);
  return createSearchTool(index).run(args, context);
}

describe('the search tool', () => {
  it('returns the matching lines with their numbers, and the result of each term', async () => {
    const outcome = await runSearchTool(
      { 'a.md': '# Parts\n\nA pawl is\na small catch.\n', 'b.md': 'Other.' },
      { query: 'the pawl' },
    );
    expect(outcome).toEqual({
      ok: true,
      output: {
        query: 'the pawl',
        matched: 'all',
        total: 1,
        files: 2,
        terms: [{ term: 'pawl', passages: 1, found: 'word', similar: null }],
        hits: [
          {
            rank: 1,
            path: 'a.md',
            first: 1,
            last: 4,
            heading: 'Parts',
            terms: ['pawl'],
            text: '3: A pawl is\n4: a small catch.',
          },
        ],
      },
    });
  });

  it('succeeds without hits', async () => {
    expect(await runSearchTool({ 'a.md': 'A pawl.' }, { query: 'xylophone' })).toMatchObject({
      ok: true,
      output: { matched: 'none', total: 0, hits: [] },
    });
  });

  it('has a limited output for any files and query', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, number) => [
        `${number}.txt`,
        `${'pawl wheel '.repeat(20_000)}\n`.repeat(3),
      ]),
    );
    const outcome = await runSearchTool(files, { query: `pawl ${'x'.repeat(100_000)}`, limit: 20 });
    expect(JSON.stringify(outcome).length).toBeLessThan(40_000);
    expect(searchOutputSchema.parse(outcome.ok ? outcome.output : null).hits).toHaveLength(20);
  });

  it.each([{}, { query: '' }, { query: 'x', limit: 0 }, { query: 'x', limit: 21 }, null])(
    'says what is wrong with %j',
    async (args) => {
      expect(await runSearchTool({}, args)).toMatchObject({
        ok: false,
        error: { kind: 'invalid', message: expect.stringContaining('Invalid arguments for search') },
      });
    },
  );
});

describe('the finish tool', () => {
  it('ends the work with the answer', async () => {
    expect(await finishTool.run({ answer: 'Done.' }, context)).toEqual({
      ok: true,
      output: { answer: 'Done.' },
      final: true,
    });
  });

  it('requires an answer', async () => {
    expect(await finishTool.run({ answer: '' }, context)).toMatchObject({
      ok: false,
      error: { kind: 'invalid' },
    });
  });
});
