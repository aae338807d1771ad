import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../src/main.ts';
import { captureIo } from '../capture-io.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-log-'));
  await writeFile(join(folder, 'garden.md'), '# Garden\n\nThe garden party is on the ninth of June.\n');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

type LogLine = {
  readonly kind: string;
  readonly session: string;
  readonly seq: number;
  readonly level: string;
};

async function runPawl(...args: readonly string[]): Promise<{ code: number; err: string }> {
  const { io, err } = captureIo();
  const [command = '', ...rest] = args;
  const code = await main([command, '--dir', folder, '--store', 'workspace', '--quiet', ...rest], io);
  return { code, err: err() };
}

async function readLogLines(file: string): Promise<readonly LogLine[]> {
  return (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine);
}

describe('pawl run --log-file', () => {
  it('appends events to a file in each run, without message contents', async () => {
    const file = join(folder, 'pawl.log');
    expect((await runPawl('run', '--log-file', file, 'When is the garden party?')).code).toBe(0);
    const first = await readLogLines(file);
    expect(new Set(first.map(({ kind }) => kind))).toEqual(
      new Set(['session', 'transition', 'model', 'tool']),
    );
    expect(new Set(first.map(({ session }) => session)).size).toBe(1);
    const numbers = first.map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(await readFile(file, 'utf8')).not.toMatch(/ninth|garden party/);
    await runPawl('chat', '--log-file', file, '--log-level', 'debug', 'When is the garden party?');
    const all = await readLogLines(file);
    expect(all.slice(0, first.length)).toEqual(first);
    expect(all.slice(first.length).map(({ level }) => level)).toContain('debug');
    const before = all.length;
    const resumed = await runPawl('resume', '--log-file', file, 'last', 'Who comes to the garden party?');
    expect(resumed.err).not.toContain('pawl:');
    expect((await readLogLines(file)).length).toBeGreaterThan(before);
  });

  it('reports an invalid option before the run starts', async () => {
    for (const [args, complaint] of [
      [['--log-level', 'debug'], /--log-level requires --log-file/],
      [
        ['--log-file', join(folder, 'x.log'), '--log-level', 'inf'],
        /Unknown log level "inf"\. Did you mean info\?/,
      ],
      [['--log-file', join(folder, 'no', 'such', 'x.log')], /Cannot write the log to .*ENOENT/],
    ] as const) {
      const { code, err } = await runPawl('run', ...args, 'x y');
      expect(code).toBe(2);
      expect(err).toMatch(complaint);
    }
  });
});
