import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScriptedCall, ModelServer } from './model-server.ts';

/** The ways a process comes to its end. */
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
  /** What marks the tool of this session among all processes. */
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

/** How long a process took from its beginning until it said something: how long things take on this machine just now. */
let readyMs = 500;

/**
 * Ends a process in the given way, if it has not come to its own end by then: at a `moment` from 0 to 1 of a span that is
 * about what it takes to get something done. `early` ends it while it still starts.
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

/** The processes that carry this mark at the moment. */
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
    // It has ended by itself.
  }
}

/**
 * Calls that write into a ledger which the runtime does not know of: that one has begun, with a sync so that it is there
 * whatever happens; its effect; that it has ended. Every third one is a file written as a whole.
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
