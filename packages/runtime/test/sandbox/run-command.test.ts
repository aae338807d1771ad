import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand, type Command, type CommandEnd } from '../../src/sandbox/run-command.ts';
import { scratch } from './sandboxed.ts';

let folder: ReturnType<typeof scratch>;
beforeEach(() => void (folder = scratch()));
afterEach(() => folder.remove());

function sh(script: string, options: Partial<Command> = {}): Promise<CommandEnd> {
  const launch = { file: 'sh', args: ['-c', script], env: { PATH: '/usr/bin:/bin' } };
  return runCommand({ launch, cwd: folder.path, timeoutMs: 20_000, ...options });
}

async function pidIn(name: string): Promise<number> {
  const file = join(folder.path, name);
  await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+\n$/), 10_000);
  return Number(readFileSync(file, 'utf8'));
}

/** A process that has ended but was not collected yet counts as ended. */
function isRunning(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && !/\) [ZX] /.test(readFileSync(file, 'utf8'));
}

describe('runCommand', () => {
  it('tells what a command wrote and how it ended', async () => {
    const end = await sh('cat; echo problem >&2; exit 3', { input: 'näive' });
    expect(end).toEqual({
      kind: 'exited',
      code: 3,
      stdout: 'näive',
      stderr: 'problem\n',
      what: 'ended with exit code 3',
    });
    expect(await sh('kill -SEGV $$')).toMatchObject({ kind: 'killed', what: 'was ended by SIGSEGV' });
  });

  it('says why a command could not be started', async () => {
    const nothing = { file: 'there-is-no-such-command', args: [], env: { PATH: '/usr/bin' } };
    expect(await sh('', { launch: nothing })).toMatchObject({
      kind: 'not-started',
      what: 'could not be started: there is no such command or folder, or you may not use it',
    });
    expect(await sh('', { cwd: '/there/is/no/folder' })).toMatchObject({ kind: 'not-started' });
    const odd = { file: 'echo', args: ['nul\0byte'], env: {} };
    expect(await sh('', { launch: odd })).toMatchObject({ kind: 'not-started' });
  });

  it('keeps the beginning of a flood and lets the command go on', async () => {
    const end = await sh('head -c 5000000 /dev/zero; echo end >&2', { outputBytesMax: 1_000 });
    expect(end).toMatchObject({ code: 0, stderr: 'end\n' });
    expect(end.stdout).toHaveLength(1_000);
  });

  it('does not mind a command that does not read what it is given', async () => {
    expect(await sh('exit 0', { input: 'x'.repeat(5_000_000) })).toMatchObject({ kind: 'exited', code: 0 });
  });

  it('ends a command and what it started at the deadline, even one that will not listen', async () => {
    const running = sh(
      `trap '' TERM; sleep 1000 & echo $! > child; echo $$ > self; while :; do sleep 1; done`,
      {
        timeoutMs: 2_000,
      },
    );
    const pids = [await pidIn('child'), await pidIn('self')];
    expect(await running).toMatchObject({
      kind: 'timed-out',
      code: null,
      what: 'took longer than 2 s and was ended',
    });
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), 10_000);
  });

  it('lets a command that is asked to end tidy up first', async () => {
    const end = await sh(`trap 'echo tidied; exit 0' TERM; while :; do sleep 0.01; done`, {
      timeoutMs: 1_000,
    });
    expect(end).toMatchObject({ kind: 'timed-out', stdout: 'tidied\n' });
  });

  it('does not wait for what keeps the output open', async () => {
    const end = await sh('setsid sleep 1000 & echo $! > pid; echo done');
    expect(end).toMatchObject({ kind: 'exited', code: 0, stdout: 'done\n' });
    process.kill(await pidIn('pid'), 'SIGKILL');
  });

  it('ends when it is called off, before and during the run', async () => {
    const controller = new AbortController();
    const running = sh('echo $$ > pid; exec sleep 1000', { signal: controller.signal });
    const pid = await pidIn('pid');
    controller.abort();
    expect(await running).toMatchObject({ kind: 'called-off' });
    expect(isRunning(pid)).toBe(false);
    expect(await sh('echo > ran', { signal: AbortSignal.abort() })).toMatchObject({ kind: 'called-off' });
    expect(existsSync(join(folder.path, 'ran'))).toBe(false);
  });
});
