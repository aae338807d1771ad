import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScriptedCall, ModelServer } from './model-server.ts';

/** The ways to end a process. */
export const killMethods = [
  'kill',
  'kill-group',
  'term-then-kill',
  'int',
  'early',
  'stop',
  'tool',
  'cut',
] as const;
export type KillMethod = (typeof killMethods)[number];

const bin = join(import.meta.dirname, '../../bin/pawl.js');

export type TortureWorkspace = {
  readonly folder: string;
  readonly store: string;
  readonly env: NodeJS.ProcessEnv;
  /** The text that identifies this session's tool processes. */
  readonly tool: string;
};

export function spawnPawl(
  { folder, store, env }: TortureWorkspace,
  ...args: readonly string[]
): ChildProcess {
  return spawn(process.execPath, [bin, ...args, '--store', store, '--dir', folder], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export type ProcessResult = { readonly code: number | null; readonly out: string; readonly err: string };

export async function waitForProcessEnd(child: ChildProcess): Promise<ProcessResult> {
  const closed = new Promise<number | null>((resolve) => void child.once('close', resolve));
  const [out, err] = await Promise.all([readStream(child.stdout), readStream(child.stderr)]);
  return { code: await closed, out, err };
}

function readStream(stream: ChildProcess['stdout']): Promise<string> {
  return stream === null ? Promise.resolve('') : text(stream);
}

/** Time from the start of a process to its first output, which measures how fast this machine is at the moment. */
let readyMs = 500;

/**
 * Ends a process in the given way unless it has already exited. `moment`, from 0 to 1, selects the time within
 * the span that one step takes; `early` ends the process while it is starting.
 */
export async function killProcess(
  child: ChildProcess,
  how: KillMethod,
  moment: number,
  { model, tool }: { readonly model: ModelServer; readonly tool: string },
): Promise<void> {
  if (how === 'cut') model.cuts += 1;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  const spawnedAt = Date.now();
  if (how === 'early') await Promise.race([sleep(moment * readyMs), exit]);
  else {
    await Promise.race([new Promise((resolve) => child.stderr?.once('data', resolve)), exit]);
    readyMs = Date.now() - spawnedAt;
    await Promise.race([sleep(20 + moment * readyMs), exit]);
  }
  if (child.exitCode === null && child.pid !== undefined)
    await applyKillMethod(child, { group: child.pid, how, afterMs: moment * 1_000, tool });
}

type KillOptions = {
  readonly group: number;
  readonly how: KillMethod;
  readonly afterMs: number;
  readonly tool: string;
};

async function applyKillMethod(
  child: ChildProcess,
  { group, how, afterMs, tool }: KillOptions,
): Promise<void> {
  switch (how) {
    case 'kill':
    case 'early':
    case 'cut':
      child.kill('SIGKILL');
      break;
    case 'kill-group':
      process.kill(-group, 'SIGKILL');
      break;
    case 'term-then-kill':
      child.kill('SIGTERM');
      await sleep(afterMs % 100);
      child.kill('SIGKILL');
      break;
    case 'int':
      child.kill('SIGINT');
      break;
    case 'stop':
      child.kill('SIGSTOP');
      await sleep(50);
      child.kill('SIGCONT');
      await sleep(afterMs % 100);
      child.kill('SIGKILL');
      break;
    case 'tool':
      for (const pid of findProcesses(tool)) killQuietly(pid);
      await sleep(afterMs % 200);
      child.kill('SIGKILL');
      break;
    default:
      how satisfies never;
  }
}

/** Lists the running processes with this mark. */
export function findProcesses(tool: string): readonly number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').includes(tool);
    } catch {
      return false;
    }
  });
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
}

/**
 * Tool calls that write to a ledger outside the runtime: the start (synced, so that it survives a crash), the
 * effect, and the end. Every third call writes a whole file.
 */
export function createLedgerCalls(
  count: number,
  tool: string,
  waitMs: (number: number) => number,
): readonly ScriptedCall[] {
  return Array.from({ length: count }, (_, number) =>
    number % 3 === 2
      ? { tool: 'write', args: { path: `file-${number}`, content: `${number}\n`.repeat(1_000) } }
      : { tool: 'shell', args: { command: createLedgerCommand(number, tool, waitMs(number)) } },
  );
}

function createLedgerCommand(number: number, tool: string, waitMs: number): string {
  const line = (word: string): string => `echo "${number} ${word}" >> ledger && sync ledger`;
  const work = `${line('start')}; sleep ${waitMs / 1_000}; echo ${number} >> effects; ${line('end')}`;
  return `sh -c '${work}' ${tool}`;
}

export function readLedgerLines(path: string): readonly string[] {
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}
