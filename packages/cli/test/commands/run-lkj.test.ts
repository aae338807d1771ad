import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runGoal } from '../../src/run/start-run.ts';
import { UsageError } from '../../src/output/exit-codes.ts';
import { captureIo } from '../capture-io.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-lkj-'));
  await writeFile(join(folder, 'garden.md'), '# Garden\n\nThe garden party is on the ninth of June.\n');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function runLkjGoal(
  profile: string,
  goal: string,
): Promise<{ code: number; out: string; err: string }> {
  const captured = captureIo();
  const code = await runGoal(goal, { verbose: true, dir: folder, profile }, captured.io);
  return { code, out: captured.out(), err: captured.err() };
}

type MemoryDocumentJson = {
  readonly working_memory: { readonly [key: string]: unknown };
  readonly storage: { readonly [key: string]: unknown };
  readonly state: string;
};

async function readMemoryDocumentJson(): Promise<MemoryDocumentJson> {
  return JSON.parse(await readFile(join(folder, 'data', 'memory.json'), 'utf8')) as MemoryDocumentJson;
}

describe('pawl run --profile lkj', () => {
  it('thinks, commands and evaluates until it has an answer, and saves its memory in data/memory.json [LKJ1-77, LKJ1-78, RX-06]', async () => {
    const { code, out, err } = await runLkjGoal('lkj', 'When is the garden party?');
    expect(code).toBe(0);
    expect(out).toContain('ninth of June');
    expect(err).toMatch(/thinking → commanding[\s\S]*commanding → evaluating[\s\S]*evaluating → thinking/);
    const { working_memory: held, storage, state } = await readMemoryDocumentJson();
    expect(Object.keys(held)).toEqual(
      expect.arrayContaining(['think_log_001', 'evaluation_log_001', 'command_log_001']),
    );
    expect(JSON.stringify(storage)).toContain('ninth of June');
    expect(['thinking', 'commanding', 'evaluating']).toContain(state);
  });

  it('thinks and executes in its first version', async () => {
    const { code, err } = await runLkjGoal('lkj1', 'When is the garden party?');
    expect(code).toBe(0);
    expect(err).toMatch(/thinking → executing[\s\S]*executing → thinking/);
    // In the layout of the first version, the log is next to working memory.
    const keys = Object.keys(await readMemoryDocumentJson());
    expect(keys).toContain('thinking_log_001');
    expect(keys.some((key) => key.startsWith('evaluation_log'))).toBe(false);
  });

  it('continues with its saved memory', async () => {
    await runLkjGoal('lkj', 'When is the garden party?');
    const before = await readMemoryDocumentJson();
    await runLkjGoal('lkj', 'What is on the ninth of June?');
    const after = await readMemoryDocumentJson();
    expect(Object.keys(after.storage).length).toBeGreaterThan(Object.keys(before.storage).length);
  });

  it('applies data/config.json [LKJ1-23]', async () => {
    await mkdir(join(folder, 'data'));
    const agent = { think_log: { max_entries: 2, key_prefix: 'idea_' }, command_log: { enable: false } };
    await writeFile(join(folder, 'data', 'config.json'), JSON.stringify({ agent }));
    await runLkjGoal('lkj', 'When is the garden party?');
    const keys = Object.keys((await readMemoryDocumentJson()).working_memory);
    expect(keys.filter((key) => key.startsWith('idea_'))).toEqual(['idea_001', 'idea_002']);
    expect(keys.some((key) => key.startsWith('command_log'))).toBe(false);
  });

  it('reports an invalid configuration, and changes nothing', async () => {
    await mkdir(join(folder, 'data'));
    await writeFile(
      join(folder, 'data', 'config.json'),
      '{"agent": {"paging_limit": {"max_tokens": "many"}}}',
    );
    await expect(runLkjGoal('lkj', 'x y z')).rejects.toThrow(UsageError);
    await expect(runLkjGoal('lkj', 'x y z')).rejects.toThrow(/paging_limit\.max_tokens/);
    expect(await readdir(join(folder, 'data'))).toEqual(['config.json']);
  });

  it('moves a damaged memory aside with a warning, and continues from the last good one [LKJ1-88]', async () => {
    await runLkjGoal('lkj', 'When is the garden party?');
    const good = await readMemoryDocumentJson();
    await writeFile(join(folder, 'data', 'memory.json'), '{"working_memory": {"a"');
    const { code, err } = await runLkjGoal('lkj', 'What is on the ninth of June?');
    expect(code).toBe(0);
    expect(err).toContain('damaged');
    expect(Object.keys((await readMemoryDocumentJson()).storage)).toEqual(
      expect.arrayContaining(Object.keys(good.storage)),
    );
  });

  it('ends after the configured number of cycles with the results so far and exit code 4 [LKJ1-104, RL-10]', async () => {
    await mkdir(join(folder, 'data'));
    await writeFile(join(folder, 'data', 'config.json'), '{"agent": {"iterate": {"max_iterations": 3}}}');
    const { code, err } = await runLkjGoal('lkj', 'When is the garden party?');
    expect(code).toBe(4);
    expect(err).toContain('3 model calls');
  });
});
