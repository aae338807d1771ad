import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createFileSpool } from '../../src/store/spool.ts';
import type { ToolResult } from '../../src/tools/tool.ts';
import { createNumberedResult, createNumberedText } from './numbered-text.ts';
import { isSoak, createMemoryFolder } from './sqlite-io-faults-tracing.ts';
import { writeDiskImage, createCrashImage, createSeededRandom } from './sqlite-power-loss-images.ts';
import { recordOperations, type FileOperation } from './sqlite-power-loss-recording.ts';

const editorScript = fileURLToPath(new URL('fixtures/recorded-editor.ts', import.meta.url));
const spoolScript = fileURLToPath(new URL('fixtures/recorded-spool.ts', import.meta.url));
const editCount = 20;
const imageCount = isSoak ? 20_000 : 1_000;

function recordScript(root: string, script: string): Promise<readonly FileOperation[]> {
  return recordOperations({ root, script, args: [root, String(editCount)] });
}

type EditLosses = { readonly lost: readonly number[]; readonly torn: readonly number[] };

/** What is in the file after the power failed at a moment that each seed decides. */
function inspectEditImages(file: string, operations: readonly FileOperation[]): EditLosses {
  const figures = { lost: [] as number[], torn: [] as number[] };
  for (let seed = 1; seed <= imageCount; seed += 1) {
    const random = createSeededRandom(seed);
    const done = operations.slice(0, Math.floor(random() * (operations.length + 1)));
    const reported = done.filter(({ type }) => type === 'said').length;
    const bytes = createCrashImage(done, random).get(file);
    const text = bytes === undefined ? null : Buffer.from(bytes).toString('utf8');
    // The next one may have been put in its place and not have been told of any more.
    if (
      text === createNumberedText(reported) ||
      text === (reported === 0 ? null : createNumberedText(reported - 1))
    )
      continue;
    const isOlder =
      text === null ||
      Array.from({ length: reported }, (_, number) => createNumberedText(number)).includes(text);
    figures[isOlder ? 'lost' : 'torn'].push(seed);
  }
  return figures;
}

describe('a file edited during a power loss', { tags: ['strace'] }, () => {
  it('has its old or new text, and the new one once it was acknowledged', async () => {
    using folder = createMemoryFolder();
    const operations = await recordScript(folder.root, editorScript);
    const file = join(folder.root, 'new/deep/file.txt');
    const { lost, torn } = inspectEditImages(file, operations);
    console.log(`edits: ${imageCount} images, ${lost.length} lost an edit, ${torn.length} torn`);
    expect({ lost, torn }).toEqual({ lost: [], torn: [] });
    // The same without the waiting: were these whole too, the images would show nothing.
    const withoutSync = inspectEditImages(
      file,
      operations.filter(({ type }) => type !== 'synced'),
    );
    expect(withoutSync.torn.length).toBeGreaterThan(imageCount / 20);
  });
});

describe('a result spooled during a power loss', { tags: ['strace'] }, () => {
  it('is complete once it was acknowledged, and complete or absent before', async () => {
    using folder = createMemoryFolder();
    const operations = await recordScript(folder.root, spoolScript);
    using images = createMemoryFolder();
    const wrong: number[] = [];
    const count = imageCount / 10;
    for (let seed = 1; seed <= count; seed += 1) {
      const random = createSeededRandom(seed);
      const done = operations.slice(0, Math.floor(random() * (operations.length + 1)));
      const reported = done.filter(({ type }) => type === 'said').length;
      const disk = join(images.root, String(seed));
      writeDiskImage(createCrashImage(done, random), folder.root, disk);
      const found = await readSpooledResults(disk);
      const isSound = found.every((result, number) =>
        result === null ? number >= reported : isDeepStrictEqual(result, createNumberedResult(number)),
      );
      if (!isSound) wrong.push(seed);
    }
    console.log(`results: ${count} images, ${wrong.length} lost or torn`);
    expect(wrong).toEqual([]);
  });
});

async function readSpooledResults(disk: string): Promise<readonly (ToolResult | null)[]> {
  const spool = createFileSpool(disk);
  const numbers = Array.from({ length: editCount }, (_, number) => number);
  return Promise.all(numbers.map(async (number) => (await spool.find(`call-${number}`)).result));
}
