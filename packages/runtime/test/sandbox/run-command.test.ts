import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand, type RunCommandOptions, type CommandResult } from '../../src/sandbox/run-command.ts';
import { createScratchFolder } from './run-in-sandbox.ts';

let folder: ReturnType<typeof createScratchFolder>;
beforeEach(() => void (folder = createScratchFolder()));
afterEach(() => {
  vi.useRealTimers();
  folder.remove();
});

function runShell(script: string, options: Partial<RunCommandOptions> = {}): Promise<CommandResult> {
  const sandboxLaunch = { file: 'sh', args: ['-c', script], env: { PATH: '/usr/bin:/bin' } };
  return runCommand({ sandboxLaunch, cwd: folder.path, timeoutMs: 600_000, ...options });
}

/** The deadline passes when the test says so, and not before the command is ready for it. */
function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
}

async function readPidFile(name: string): Promise<number> {
  const file = join(folder.path, name);
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+\n$/);
  return Number(readFileSync(file, 'utf8'));
}

/** A process that has ended but was not collected yet counts as ended. */
function isProcessActive(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && !/\) [ZX] /.test(readFileSync(file, 'utf8'));
}

describe('runCommand', { tags: ['unix'] }, () => {
  it('returns the output of a command and how it ended', async () => {
    const end = await runShell('cat; echo problem >&2; exit 3', { input: 'näive' });
    expect(end).toEqual({
      kind: 'exited',
      code: 3,
      stdout: 'näive',
      stderr: 'problem\n',
      summary: 'ended with exit code 3',
    });
    expect(await runShell('kill -SEGV $$')).toMatchObject({
      kind: 'killed',
      summary: 'was ended by SIGSEGV',
    });
  });

  it('reports why a command could not be started', async () => {
    const nothing = { file: 'there-is-no-such-command', args: [], env: { PATH: '/usr/bin' } };
    expect(await runShell('', { sandboxLaunch: nothing })).toMatchObject({
      kind: 'not-started',
      summary: 'could not be started: there is no such command or folder, or you may not use it',
    });
    expect(await runShell('', { cwd: '/there/is/no/folder' })).toMatchObject({ kind: 'not-started' });
    const odd = { file: 'echo', args: ['nul\0byte'], env: {} };
    expect(await runShell('', { sandboxLaunch: odd })).toMatchObject({ kind: 'not-started' });
  });

  it('keeps the beginning of a long output and lets the command continue', async () => {
    const end = await runShell('head -c 5000000 /dev/zero; echo end >&2', { outputBytesMax: 1_000 });
    expect(end).toMatchObject({ code: 0, stderr: 'end\n' });
    expect(end.stdout).toHaveLength(1_000);
  });

  it('ignores a command that does not read its input', async () => {
    expect(await runShell('exit 0', { input: 'x'.repeat(5_000_000) })).toMatchObject({
      kind: 'exited',
      code: 0,
    });
  });

  it('kills a command and its children at the deadline, even if they ignore signals', async () => {
    useFakeTimers();
    const script = `trap '' TERM; sleep 1000 & echo $! > child; echo $$ > self; while :; do sleep 1; done`;
    const running = runShell(script, { timeoutMs: 2_000 });
    const pids = [await readPidFile('child'), await readPidFile('self')];
    vi.advanceTimersByTime(2_000);
    expect(pids.filter(isProcessActive)).toEqual(pids);
    vi.advanceTimersByTime(300);
    expect(await running).toMatchObject({
      kind: 'timed-out',
      code: null,
      summary: 'took longer than 2 s and was ended',
    });
    await expect.poll(() => pids.filter(isProcessActive)).toEqual([]);
  });

  it('lets a command clean up after SIGTERM', async () => {
    useFakeTimers();
    const script = `trap 'echo tidied; exit 0' TERM; echo $$ > self; while :; do sleep 0.01; done`;
    const running = runShell(script, { timeoutMs: 1_000 });
    await readPidFile('self');
    vi.advanceTimersByTime(1_000);
    expect(await running).toMatchObject({ kind: 'timed-out', stdout: 'tidied\n' });
  });

  it('does not wait for a process that keeps the output open', async () => {
    // The command exits only when the other process has left its process group, which is killed at the exit.
    const holdOutput = `setsid sh -c 'echo $$ > pid; exec sleep 1000' &`;
    const end = await runShell(`${holdOutput} until [ -s pid ]; do sleep 0.01; done; echo done`);
    expect(end).toMatchObject({ kind: 'exited', code: 0, stdout: 'done\n' });
    const pid = await readPidFile('pid');
    expect(isProcessActive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  it('ends on abort, before and during the run', async () => {
    const controller = new AbortController();
    const running = runShell('echo $$ > pid; exec sleep 1000', { signal: controller.signal });
    const pid = await readPidFile('pid');
    controller.abort();
    expect(await running).toMatchObject({ kind: 'called-off' });
    expect(isProcessActive(pid)).toBe(false);
    expect(await runShell('echo > ran', { signal: AbortSignal.abort() })).toMatchObject({
      kind: 'called-off',
    });
    expect(existsSync(join(folder.path, 'ran'))).toBe(false);
  });
});
