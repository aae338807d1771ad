import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatLines, parseLines } from '../../src/tools/read.ts';
import { readFileLines } from '../../src/tools/read.ts';
import { createTempFolder } from '../search/temp-folder.ts';

describe('reading lines', () => {
  it('returns the same lines as splitting the whole text', async () => {
    using folder = createTempFolder();
    const path = folder.at('text');
    const line = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('', 'é', '😀', 'x'.repeat(70_000)));
    const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n').replaceAll('\0', ''));
    const number = fc.integer({ min: 1, max: 10 });
    await fc.assert(
      fc.asyncProperty(text, number, number, async (content, from, count) => {
        writeFileSync(path, content);
        await using file = await open(path);
        const range = { from, to: from + count - 1, lineBytesMax: 1_000_000, bytesMax: 1_000_000 };
        const read = await readFileLines(file, range, new AbortController().signal);
        const all = content.split('\n').map((each) => each.replace(/^\uFEFF/, '').replace(/\r$/, ''));
        if (content.endsWith('\n') || content === '') all.pop();
        expect(read).toMatchObject({
          kind: 'lines',
          lines: all
            .slice(from - 1, from + count - 1)
            .map((each, index) => ({ number: from + index, text: each })),
        });
        expect(read.kind === 'lines' && read.total !== null).toBe(all.length <= from + count - 1);
      }),
    );
  });
});

describe('numbered lines', () => {
  it('are parsed back unchanged', () => {
    const text = fc.string().map((each) => each.replaceAll('\n', ''));
    const lines = fc.array(fc.record({ number: fc.nat(), text }), { minLength: 1 });
    fc.assert(
      fc.property(lines, (all) => {
        expect(parseLines(formatLines(all))).toEqual(all);
      }),
    );
  });
});
