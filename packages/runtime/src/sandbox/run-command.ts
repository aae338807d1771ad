import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Launch } from './launcher.ts';

export type Command = {
  readonly launch: Launch;
  readonly cwd: string;
  /** What it reads from its standard input. */
  readonly input?: string;
  readonly timeoutMs: number;
  /** How much is kept of each of its outputs; the rest is read and dropped. */
  readonly outputBytesMax?: number;
  readonly signal?: AbortSignal;
};

/** How a command ended. */
export type CommandEnd = {
  readonly kind: 'exited' | 'killed' | 'timed-out' | 'called-off' | 'not-started';
  /** Null unless it exited by itself. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** How it ended, to follow its name: `ended with exit code 1`. */
  readonly what: string;
};

/** Runs a command to its end, or ends it and what it started at the deadline. Never rejects. */
export async function runCommand(command: Command): Promise<CommandEnd> {
  const { launch, cwd, input = '', timeoutMs, outputBytesMax = 64 * 1024, signal } = command;
  if (signal?.aborted === true) return failed('called-off', 'was called off');
  const child = start(launch, cwd);
  if (typeof child === 'string') return failed('not-started', child);
  const stdout = collect(child.stdout, outputBytesMax);
  const stderr = collect(child.stderr, outputBytesMax);
  // A command need not read what it is given.
  child.stdin?.on('error', () => undefined).end(input);
  const ended = await endOf(child, timeoutMs, signal);
  return { ...ended, stdout: stdout(), stderr: stderr() };
}

/** Windows has no process groups to end at once. */
const hasGroups = process.platform !== 'win32';

/** The process, or why there is none: some mistakes are seen at once, others only when the system tries. */
function start({ file, args, env }: Launch, cwd: string): ChildProcess | string {
  try {
    return spawn(file, args, { cwd, env, detached: hasGroups, stdio: 'pipe', windowsHide: true });
  } catch (error) {
    return notStarted(error);
  }
}

function failed(kind: CommandEnd['kind'], what: string): CommandEnd {
  return { kind, code: null, stdout: '', stderr: '', what };
}

function notStarted(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'EACCES')
    return 'could not be started: there is no such command or folder, or you may not use it';
  return `could not be started: ${error instanceof Error ? error.message : String(error)}`;
}

function collect(stream: Readable | null, bytesMax: number): () => string {
  const chunks: Buffer[] = [];
  let kept = 0;
  stream?.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, bytesMax - kept);
    kept += part.length;
    if (part.length > 0) chunks.push(part);
  });
  stream?.on('error', () => undefined);
  return () => Buffer.concat(chunks).toString('utf8');
}

type Ended = Pick<CommandEnd, 'kind' | 'code' | 'what'>;

/** How long something may take to end after it was asked to, and how long its output may stay open after that. */
const graceMs = 300;

async function endOf(
  child: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Ended> {
  let stopped: Ended | null = null;
  const timers: NodeJS.Timeout[] = [];
  const stop = (why: Ended): void => {
    stopped ??= why;
    kill(child, 'SIGTERM');
    timers.push(setTimeout(() => kill(child, 'SIGKILL'), graceMs));
  };
  const onAbort = (): void => stop({ kind: 'called-off', code: null, what: 'was called off' });
  const late = `took longer than ${timeoutMs / 1_000} s and was ended`;
  timers.push(setTimeout(() => stop({ kind: 'timed-out', code: null, what: late }), timeoutMs));
  signal?.addEventListener('abort', onAbort, { once: true });
  const ended = await exitOf(child);
  signal?.removeEventListener('abort', onAbort);
  for (const timer of timers) clearTimeout(timer);
  // What it left behind ends as well, and nobody waits for an output that something else keeps open.
  kill(child, 'SIGKILL');
  await closed(child);
  return stopped ?? ended;
}

function exitOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ kind: 'not-started', code: null, what: notStarted(error) }));
    child.once('exit', (code, name) =>
      resolve(
        code === null
          ? { kind: 'killed', code, what: `was ended by ${name ?? 'a signal'}` }
          : { kind: 'exited', code, what: `ended with exit code ${code}` },
      ),
    );
  });
}

function kill(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    if (hasGroups) process.kill(-child.pid, name);
    else child.kill(name);
  } catch {
    // Nothing is left to end.
  }
}

async function closed(child: ChildProcess): Promise<void> {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const signal = AbortSignal.timeout(graceMs);
  await Promise.allSettled(streams.map((stream) => finished(stream, { signal })));
  for (const stream of [child.stdin, ...streams]) stream?.destroy();
}
