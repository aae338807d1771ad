import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createFileSpool } from '../../src/executions/file-spool.ts';
import type { ToolResult } from '../../src/tools/tool.ts';
import { resultOf, textOf } from './edited-text.ts';
import { isLong, noTracing, quickFolder } from './sqlite-io-faults-tracing.ts';
import { develop, imageAfter, randomFrom } from './sqlite-power-loss-images.ts';
import { record, type Operation } from './sqlite-power-loss-recording.ts';

const editor = fileURLToPath(new URL('fixtures/recorded-editor.ts', import.meta.url));
const keeper = fileURLToPath(new URL('fixtures/recorded-spool.ts', import.meta.url));
const editCount = 20;
const imageCount = isLong ? 20_000 : 1_000;

function recordIn(root: string, script: string): Promise<readonly Operation[]> {
  return record({ root, script, args: [root, String(editCount)] });
}

type Figures = { readonly lost: readonly number[]; readonly torn: readonly number[] };

/** What is in the file after the power failed at a moment that each seed decides. */
function lookAtImages(file: string, operations: readonly Operation[]): Figures {
  const figures = { lost: [] as number[], torn: [] as number[] };
  for (let seed = 1; seed <= imageCount; seed += 1) {
    const random = randomFrom(seed);
    const done = operations.slice(0, Math.floor(random() * (operations.length + 1)));
    const said = done.filter(({ type }) => type === 'said').length;
    const bytes = imageAfter(done, random).get(file);
    const text = bytes === undefined ? null : Buffer.from(bytes).toString('utf8');
    // The next one may have been put in its place and not have been told of any more.
    if (text === textOf(said) || text === (said === 0 ? null : textOf(said - 1))) continue;
    const isOlder =
      text === null || Array.from({ length: said }, (_, number) => textOf(number)).includes(text);
    figures[isOlder ? 'lost' : 'torn'].push(seed);
  }
  return figures;
}

describe.skipIf(noTracing !== null)('a file that is edited while the power fails', () => {
  it('has its old text or the new one, and the new one once that was said', async () => {
    using folder = quickFolder();
    const operations = await recordIn(folder.root, editor);
    const file = join(folder.root, 'new/deep/file.txt');
    const { lost, torn } = lookAtImages(file, operations);
    console.log(`edits: ${imageCount} images, ${lost.length} lost an edit, ${torn.length} torn`);
    expect({ lost, torn }).toEqual({ lost: [], torn: [] });
    // The same without the waiting: were these whole too, the images would show nothing.
    const careless = lookAtImages(
      file,
      operations.filter(({ type }) => type !== 'synced'),
    );
    expect(careless.torn.length).toBeGreaterThan(imageCount / 20);
  });
});

describe.skipIf(noTracing !== null)('the result of a call that was kept while the power fails', () => {
  it('is there whole once it was said to be kept, and whole or not at all before', async () => {
    using folder = quickFolder();
    const operations = await recordIn(folder.root, keeper);
    using images = quickFolder();
    const wrong: number[] = [];
    const count = imageCount / 10;
    for (let seed = 1; seed <= count; seed += 1) {
      const random = randomFrom(seed);
      const done = operations.slice(0, Math.floor(random() * (operations.length + 1)));
      const said = done.filter(({ type }) => type === 'said').length;
      const disk = join(images.root, String(seed));
      develop(imageAfter(done, random), folder.root, disk);
      const found = await resultsIn(disk);
      const isSound = found.every((result, number) =>
        result === null ? number >= said : isDeepStrictEqual(result, resultOf(number)),
      );
      if (!isSound) wrong.push(seed);
    }
    console.log(`results: ${count} images, ${wrong.length} lost or torn`);
    expect(wrong).toEqual([]);
  });
});

async function resultsIn(disk: string): Promise<readonly (ToolResult | null)[]> {
  const spool = createFileSpool(disk);
  const numbers = Array.from({ length: editCount }, (_, number) => number);
  return Promise.all(numbers.map(async (number) => (await spool.find(`call-${number}`)).result));
}
