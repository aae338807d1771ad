import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MemoryFileError, createMemoryFile, type MemoryFile } from '../../src/memory/memory-file.ts';
import { createTempFolder } from '../search/temp-folder.ts';

type NumberedContent = { readonly number: number };

function createNumberedFile(path: string): MemoryFile<NumberedContent> {
  return createMemoryFile(path, (json) => {
    const content = json as NumberedContent;
    if (typeof content.number !== 'number') throw new TypeError('there is no number in it');
    return content;
  });
}

describe('a memory file', () => {
  it('is created with its folder and read again', async () => {
    using folder = createTempFolder();
    const path = folder.at('data/memory.json');
    expect(await createNumberedFile(path).load()).toEqual({ content: null, from: 'nothing', warnings: [] });
    await createNumberedFile(path).save({ number: 1 });
    expect(await createNumberedFile(path).load()).toEqual({
      content: { number: 1 },
      from: 'file',
      warnings: [],
    });
    expect(readdirSync(folder.at('data'))).toEqual(['memory.json']);
  });

  it('keeps the version before the last save next to it', async () => {
    using folder = createTempFolder();
    const path = folder.at('memory.json');
    const file = createNumberedFile(path);
    for (const number of [1, 2, 3]) await file.save({ number });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ number: 3 });
    expect(JSON.parse(readFileSync(`${path}.last-good`, 'utf8'))).toEqual({ number: 2 });
    expect(readdirSync(folder.root).toSorted()).toEqual(['memory.json', 'memory.json.last-good']);
  });

  it.each([
    ['cut off', '{"number": 3, "fil', /JSON/],
    ['empty', '', /JSON/],
    ['not what it should be', '{"name": "x"}', /there is no number in it/],
    ['binary', '\0\u0001\u0002', /JSON/],
  ])('that is %s is quarantined, and the last good version is used [LKJ1-88]', async (_, text, reason) => {
    using folder = createTempFolder();
    const path = folder.at('memory.json');
    const file = createNumberedFile(path);
    for (const number of [1, 2]) await file.save({ number });
    for (const aside of ['damaged-1', 'damaged-2']) {
      writeFileSync(path, text);
      const { content, from, warnings } = await createNumberedFile(path).load();
      expect({ content, from }).toEqual({ content: { number: 1 }, from: 'last good' });
      expect(warnings[0]).toMatch(reason);
      expect(warnings[0]).toContain(`${path} is damaged`);
      expect(warnings[0]).toContain(`and was moved to ${path}.${aside}.`);
      expect(warnings[1]).toBe(
        `Memory was restored from ${path}.last-good. Remove that file as well to start empty.`,
      );
      expect(readFileSync(`${path}.${aside}`, 'utf8')).toBe(text);
      expect(existsSync(path)).toBe(false);
    }
  });

  it('starts empty with a warning when no good version is left', async () => {
    using folder = createTempFolder({ 'memory.json': '{', 'other.json': '{', 'other.json.last-good': '{' });
    expect(await createNumberedFile(folder.at('memory.json')).load()).toMatchObject({
      content: null,
      from: 'nothing',
      warnings: [/is damaged/, 'There is no earlier version, so memory starts empty.'].map((text) =>
        typeof text === 'string' ? text : (expect.stringMatching(text) as string),
      ),
    });
    const { warnings } = await createNumberedFile(folder.at('other.json')).load();
    expect(warnings[1]).toMatch(/last-good is damaged as well, so memory starts empty\.$/);
  });

  it('does not treat an external edit as a good version', async () => {
    using folder = createTempFolder();
    const path = folder.at('memory.json');
    const file = createNumberedFile(path);
    for (const number of [1, 2]) await file.save({ number });
    writeFileSync(path, 'an accidental edit');
    await file.save({ number: 3 });
    expect(JSON.parse(readFileSync(`${path}.last-good`, 'utf8'))).toEqual({ number: 1 });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ number: 3 });
  });

  it('runs saves in order', async () => {
    using folder = createTempFolder();
    const path = folder.at('memory.json');
    const file = createNumberedFile(path);
    await Promise.all(
      Array.from({ length: 30 }, (_, number) =>
        file.save({ number, filling: 'x'.repeat(30_000 - 999 * number) }),
      ),
    );
    expect((await file.load()).content).toMatchObject({ number: 29 });
    expect(JSON.parse(readFileSync(`${path}.last-good`, 'utf8'))).toMatchObject({ number: 28 });
  });

  it('that cannot be written throws one clear error and stays usable', async () => {
    using folder = createTempFolder({ 'a-file': 'x' });
    const blocked = createNumberedFile(folder.at('a-file/memory.json'));
    await expect(blocked.save({ number: 1 })).rejects.toMatchObject({
      name: 'MemoryFileError',
      code: 'unwritable',
      message: expect.stringMatching(
        /^The memory file cannot be written: ".*memory\.json" \(.*\)\. Check free disk space/,
      ) as string,
    });
    mkdirSync(folder.at('memory.json'));
    const movedPath = createNumberedFile(folder.at('memory.json'));
    await expect(movedPath.save({ number: 1 })).rejects.toThrow(/cannot be written/);
    await expect(movedPath.load()).rejects.toThrow(/cannot be read/);
    expect(readdirSync(folder.root).toSorted()).toEqual(['a-file', 'memory.json']);
  });

  it('stays intact if the disk is full', { tags: ['unix'] }, async () => {
    using folder = createTempFolder();
    const path = folder.at('memory.json');
    await createNumberedFile(path).save({ number: 1 });
    // A limit on the size of files stands in for a full disk: writing fails half way.
    const script = fileURLToPath(new URL('fixtures/saves-to-file.ts', import.meta.url));
    const command = `ulimit -f 16; exec "${process.execPath}" "${script}" "${path}"`;
    const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'ignore', 'pipe'] });
    let message = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      message += text;
    });
    await once(child, 'close');
    expect(message).toContain('MemoryFileError: The memory file cannot be written');
    expect((await createNumberedFile(path).load()).content).toEqual({ number: 1 });
    expect(readdirSync(folder.root)).toEqual(['memory.json']);
  });

  it('stays intact if its folder is read-only', { tags: ['unix'] }, async () => {
    using folder = createTempFolder();
    const path = folder.at('data/memory.json');
    await createNumberedFile(path).save({ number: 1 });
    chmodSync(folder.at('data'), 0o555);
    // For the superuser every folder is writable, so there the save succeeds; for others it fails. It is whole either way.
    const saved = await createNumberedFile(path)
      .save({ number: 2 })
      .then(
        () => 2,
        (error: unknown) => {
          expect(error).toBeInstanceOf(MemoryFileError);
          return 1;
        },
      );
    chmodSync(folder.at('data'), 0o755);
    expect((await createNumberedFile(path).load()).content).toEqual({ number: saved });
  });

  it('is complete whenever its process is killed, and no completed save is lost', async () => {
    using folder = createTempFolder();
    const path = folder.at('memory.json');
    const script = fileURLToPath(new URL('fixtures/saves-to-file.ts', import.meta.url));
    for (const afterMs of [1, 5, 11, 23, 47]) {
      const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      let message = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        message += text;
      });
      await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
      setTimeout(() => child.kill('SIGKILL'), afterMs);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      const acknowledged = Number(message.split('\n').at(-2));
      const content = JSON.parse(readFileSync(path, 'utf8')) as {
        readonly number: number;
        readonly end: number;
      };
      expect(content.end).toBe(content.number);
      expect(content.number).toBeGreaterThanOrEqual(acknowledged);
      expect(await createNumberedFile(path).load()).toMatchObject({ from: 'file', warnings: [] });
      expect(readdirSync(folder.root).filter((name) => name.includes('.tmp-'))).toEqual([]);
    }
  });
});
