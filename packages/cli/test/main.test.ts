import { chmod, mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runGoal, type RunOptions } from '../src/run/start-run.ts';
import { main } from '../src/main.ts';
import { captureIo } from './capture-io.ts';
import { runUnprivileged } from './run-unprivileged.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-main-'));
  await writeFile(join(folder, 'garden.md'), '# Party\n\nThe garden party is on the ninth of June.\n');
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function runPawlMain(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const captured = captureIo();
  const code = await main(args, captured.io);
  return { code, out: captured.out(), err: captured.err() };
}

function createRunOptions(signal: AbortSignal): RunOptions {
  return { dir: folder, profile: 'pawl', signal };
}

/** Matches a single line from pawl, without a stack trace. */
function expectOneLine(err: string): void {
  expect(err.trimEnd().split('\n')).toHaveLength(1);
  expect(err).toMatch(/^pawl: /);
  expect(err).not.toMatch(/^\s+at /m);
}

describe('pawl', () => {
  it('shows its help on request and without arguments', async () => {
    const asked = await runPawlMain('--help');
    const bare = await runPawlMain();
    expect(asked.code).toBe(0);
    expect(bare.code).toBe(0);
    expect(bare.out).toBe(asked.out);
    for (const command of ['run', 'pipe', 'chart', 'audit']) expect(asked.out).toContain(command);
  });

  it('shows the help of every command with examples', async () => {
    for (const command of ['run', 'pipe', 'chart', 'audit']) {
      const { code, out } = await runPawlMain(command, '--help');
      expect(code).toBe(0);
      expect(out).toContain('Examples:');
    }
  });

  it('prints its version', async () => {
    expect(await runPawlMain('--version')).toMatchObject({ code: 0, out: '0.2.0\n' });
  });

  it.each([
    ['an unknown flag', ['run', '--dri', '.', 'x'], '--dir'],
    ['an unknown command', ['rnu'], 'run'],
    ['a missing goal', ['run'], 'goal'],
    [
      'a limit that is no number',
      ['run', '--max-steps', 'few', 'x'],
      '--max-steps must be a whole number of at least 1',
    ],
    ['an empty goal', ['run', ''], 'Enter a goal'],
    ['a blank goal', ['run', ' \t '], 'Enter a goal'],
    ['an unknown profile', ['run', '--profile', 'lom', 'x'], 'Did you mean loom?'],
    [
      'a missing folder',
      ['run', '--dir', '/does/not/exist', 'x'],
      'There is no such folder: "/does/not/exist"',
    ],
  ])('answers %s with one line and exit code 2', async (_what, args, hint) => {
    const { code, out, err } = await runPawlMain(...args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expectOneLine(err);
    expect(err).toContain(hint);
  });

  it('rejects a file in place of a folder with one line and exit code 2', async () => {
    const { code, err } = await runPawlMain('run', '--dir', join(folder, 'garden.md'), 'x');
    expect(code).toBe(2);
    expectOneLine(err);
  });
});

describe('pawl run', () => {
  it('answers with a quoted passage, its file and line, and says in words what it does', async () => {
    const { code, out, err } = await runPawlMain('run', '--dir', folder, 'When is the garden party?');
    expect(code).toBe(0);
    expect(out).toContain('garden.md:3');
    expect(out).toContain('> The garden party is on the ninth of June.');
    expect(err.replace(/in \d+\.\d s/, 'in 0.0 s')).toBe(
      [
        `1 file in ${folder}`,
        'I search for garden party.',
        '  Searched for “garden party”',
        'I have 1 passage to quote.',
        '  Answered',
        '',
        'answered after 2 model calls and 2 tool calls in 0.0 s',
        '',
      ].join('\n'),
    );
  });

  it('shows each transition with --verbose', async () => {
    const { err } = await runPawlMain('run', '--verbose', '--dir', folder, 'When is the garden party?');
    expect(err).toContain('waitingForUser → callingModel');
    expect(err).toContain('progressCheck → waitingForUser');
  });

  it('does not mistake its own question, quoted as an example, for an answer', async () => {
    await writeFile(join(folder, 'usage.md'), 'Try:\n\n    pawl run "When is the garden party?"\n');
    const { out } = await runPawlMain('run', '--dir', folder, 'When is the garden party?');
    expect(out).toContain('garden.md:3');
    expect(out).not.toContain('usage.md');
  });

  it('reports what it did not find, and what it tried', async () => {
    const { code, out } = await runPawlMain('run', '--dir', folder, 'Which submarine was painted yellow?');
    expect(code).toBe(0);
    expect(out).toContain('nothing');
    expect(out).toContain('submarine');
    expect(out).not.toContain('> ');
  });

  it('prints only the answer with --quiet', async () => {
    const { out, err } = await runPawlMain('run', '--quiet', '--dir', folder, 'When is the garden party?');
    expect(out).toContain('garden.md:3');
    expect(err).toBe('');
  });

  it('prints one JSON object per line with --json, the result last', async () => {
    const { out, err } = await runPawlMain('run', '--json', '--dir', folder, 'When is the garden party?');
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line): { type: string } => JSON.parse(line) as { type: string });
    expect(lines[0]).toMatchObject({ type: 'start', files: 1 });
    expect(lines.some((line) => line.type === 'transition')).toBe(true);
    expect(lines.at(-1)).toMatchObject({ type: 'result', status: 'answered', reason: null });
    expect(err).toBe('');
  });

  it('answers with the results so far when the budget is exhausted, with exit code 4', async () => {
    const { code, out, err } = await runPawlMain(
      'run',
      '--max-steps',
      '2',
      '-d',
      folder,
      'When is the garden party?',
    );
    expect(code).toBe(4);
    expect(out.trim()).not.toBe('');
    expect(err).toContain('the budget of 2 model calls is used up');
  });

  it('under savant stops searching for what does not exist, with a summary and exit code 3 [SAV-140, SAV-144]', async () => {
    const goal = 'find the secret password in a file that does not exist';
    const { code, out, err } = await runPawlMain('run', '--verbose', '-p', 'savant', '-d', folder, goal);
    expect(code).toBe(3);
    expect(out).toContain('I found nothing');
    expect(out).toContain('I searched for “secret password');
    expect(err).toContain('SEARCHING → STUCK_SEARCH');
    expect(err).toContain(
      'Governor ends the work (repeated_tool): stuck_detection: search was called 3 times',
    );
    expect(err).toMatch(/stuck after \d+ model calls and \d+ tool calls/);
  });

  it('works with every profile', async () => {
    for (const profile of ['pawl', 'loom', 'nexora', 'savant', 'lkj', 'lkj1']) {
      expect(await runPawlMain('run', '-p', profile, '-d', folder, 'garden party?')).toMatchObject({
        code: 0,
      });
    }
  });

  it('skips binary files and a 200 MB file, with a line each', async () => {
    await writeFile(join(folder, 'picture.bin'), Buffer.from([0x89, 0, 1, 2]));
    await writeFile(join(folder, 'huge.log'), 'x');
    await truncate(join(folder, 'huge.log'), 200 * 1024 * 1024);
    const { code, out, err } = await runPawlMain('run', '--dir', folder, 'When is the garden party?');
    expect(code).toBe(0);
    expect(out).toContain('ninth of June');
    expect(err).toContain('skipped huge.log: it is too large to search');
    expect(err).toContain('skipped 1 file that is not text');
  });

  it('escapes terminal control sequences from files', async () => {
    await writeFile(join(folder, 'evil.md'), 'The password \x1b]0;owned\x07 is \x1b[31mred\u202e.\n');
    const { out } = await runPawlMain('run', '--dir', folder, 'What is the password?');
    expect(out).toContain(String.raw`\x1b]0;owned\x07 is \x1b[31mred\u202e.`);
    // oxlint-disable-next-line no-control-regex
    expect(out).not.toMatch(/[\u001b\u0007\u202e]/u);
  });
});

describe('pawl run, interrupted', () => {
  it('exits with 130 while it reads the folder', async () => {
    const { io, out } = captureIo();
    expect(await runGoal('x', createRunOptions(AbortSignal.abort()), io)).toBe(130);
    expect(out()).toBe('');
  });

  it('exits with 130 during a turn', async () => {
    const interrupt = new AbortController();
    const { io, out, err } = captureIo();
    const stderr = new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (chunk.toString().includes('search')) interrupt.abort();
        io.stderr.write(chunk);
        done();
      },
    });
    expect(await runGoal('When is the party?', createRunOptions(interrupt.signal), { ...io, stderr })).toBe(
      130,
    );
    expect(out()).toBe('');
    expect(err()).toMatch(/Interrupted\. The session is saved; continue with: pawl resume [\da-f]{8}/);
  });
});

describe('pawl as a process', () => {
  it('reports an unreadable folder with one line and exit code 2', { tags: ['unix'] }, async () => {
    await chmod(folder, 0o000);
    const { code, err } = await runUnprivileged(['run', '--dir', folder, 'x']);
    await chmod(folder, 0o755);
    expect(code).toBe(2);
    expectOneLine(err);
    expect(err).toContain('This folder cannot be read');
  });

  it('skips an unreadable subfolder and file, with one line each', { tags: ['unix'] }, async () => {
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'private'), { mode: 0o000 });
    await writeFile(join(folder, 'secret.md'), 'garden', { mode: 0o000 });
    const { code, out, err } = await runUnprivileged(['run', '--dir', folder, 'When is the garden party?']);
    expect(code).toBe(0);
    expect(out).toContain('ninth of June');
    expect(err).toContain('skipped private: it cannot be read');
    expect(err).toContain('skipped secret.md: it cannot be read');
  });
});
