import { mkdir, mkdtemp, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runGoal } from '../../src/run/start-run.ts';
import { UsageError } from '../../src/output/exit-codes.ts';
import { captureIo } from '../capture-io.ts';

/** The permission bits of other users; Windows has none. */
const othersMode = process.platform === 'win32' ? 0 : 0o077;

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-trace-'));
  await writeFile(join(folder, 'garden.md'), '# Garden\n\nThe garden party is on the ninth of June.\n');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('pawl run --trace', () => {
  it('records every prompt, reply and state transition [SAV-136, SAV-138, LKJ1-106]', async () => {
    const trace = join(folder, 'trace.jsonl');
    const { io } = captureIo();
    await runGoal('When is the garden party?', { dir: folder, profile: 'savant', traceFile: trace }, io);
    const lines = (await readFile(trace, 'utf8')).trim().split('\n');
    const records = lines.map((line) => JSON.parse(line) as { readonly [key: string]: unknown });
    const prompts = records.filter(({ type }) => type === 'prompt');
    expect(prompts.length).toBeGreaterThan(1);
    expect(prompts[0]?.['state']).toMatch(/^## Agent State\nCurrent Phase: INIT\n/);
    expect(prompts[0]?.['messages']).toMatchObject([{ role: 'user', text: 'When is the garden party?' }]);
    expect(records.filter(({ type }) => type === 'reply')).toHaveLength(prompts.length);
    expect(records).toContainEqual(
      expect.objectContaining({ type: 'state_transition', profile: 'savant', from: 'INIT', to: 'SEARCHING' }),
    );
    expect((await stat(trace)).mode & othersMode).toBe(0);
  });

  it('masks secrets everywhere', async () => {
    await writeFile(
      join(folder, 'garden.md'),
      '# Garden\n\nThe garden gate opens with ghp_0123456789abcdefgh.\n',
    );
    const trace = join(folder, 'trace.jsonl');
    await runGoal(
      'How does the garden gate open?',
      { dir: folder, profile: 'pawl', traceFile: trace },
      captureIo().io,
    );
    const text = await readFile(trace, 'utf8');
    expect(text).toContain('garden gate opens with [secret]');
    expect(text).not.toContain('ghp_');
  });

  it('reports an unwritable file before the run starts', async () => {
    const trace = join(folder, 'no', 'such', 'folder.jsonl');
    const asked = runGoal('x y', { dir: folder, profile: 'pawl', traceFile: trace }, captureIo().io);
    await expect(asked).rejects.toThrow(UsageError);
    await expect(asked).rejects.toThrow(/Cannot write the trace/);
  });

  it('appends to logs/agent_trace.log in the folder by default [SAV-136]', async () => {
    const asked = { dir: folder, profile: 'pawl', trace: true } as const;
    const path = join(folder, 'logs', 'agent_trace.log');
    await runGoal('When is the garden party?', asked, captureIo().io);
    const once = await readFile(path, 'utf8');
    const { io, out } = captureIo();
    await runGoal('When is the garden party?', asked, io);
    const twice = await readFile(path, 'utf8');
    expect(twice.startsWith(once)).toBe(true);
    expect(twice.match(/"type":"prompt"/g)).toHaveLength(2 * (once.match(/"type":"prompt"/g)?.length ?? 0));
    expect((await stat(path)).mode & othersMode).toBe(0);
    expect(await readFile(join(folder, 'logs', '.gitignore'), 'utf8')).toBe('*\n');
    // The agent does not search the trace.
    expect(out()).toContain('garden.md');
    expect(twice).not.toContain('agent_trace.log');
  });

  it('rotates a full file', async () => {
    const path = join(folder, 'logs', 'agent_trace.log');
    await mkdir(join(folder, 'logs'));
    await writeFile(path, '');
    await truncate(path, 10 * 1024 * 1024);
    await runGoal('When is the party?', { dir: folder, profile: 'pawl', trace: true }, captureIo().io);
    expect((await stat(`${path}.1`)).size).toBe(10 * 1024 * 1024);
    expect(await readFile(path, 'utf8')).toMatch(/^\{"type":"state_transition"/);
    await expect(stat(join(folder, 'logs', '.gitignore'))).rejects.toThrow(/ENOENT/);
  });

  it('does not follow an existing link out of the folder', { tags: ['unix'] }, async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'pawl-elsewhere-'));
    await symlink(elsewhere, join(folder, 'logs'));
    const asked = runGoal('x y', { dir: folder, profile: 'pawl', trace: true }, captureIo().io);
    await expect(asked).rejects.toThrow(/logs is a symbolic link; specify the file with --trace-file/);
    await rm(elsewhere, { recursive: true });
  });
});
