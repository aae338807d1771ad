import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { hasProcessGroups, signalProcessGroup } from '../platform/processes.ts';
import { buildProgramCommand, safeSearchVariable, windowsVariables } from '../platform/programs.ts';
import type { SandboxLaunch } from './command-sandbox.ts';
import { getPlatformPaths } from '../platform/platform.ts';

export type RunCommandOptions = {
  readonly sandboxLaunch: SandboxLaunch;
  readonly cwd: string;
  /** Passed to its standard input. */
  readonly input?: string;
  readonly timeoutMs: number;
  /** Bytes captured of each output stream; the rest is read and dropped. */
  readonly outputBytesMax?: number;
  readonly signal?: AbortSignal;
};

/** The result of a command. */
export type CommandResult = {
  readonly kind: 'exited' | 'killed' | 'timed-out' | 'called-off' | 'not-started';
  /** Null unless it exited by itself. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** A phrase that follows the command's name: `ended with exit code 1`. */
  readonly summary: string;
};

/** Runs a command to its end, or kills it and its process group at the deadline. Never rejects. */
export async function runCommand(command: RunCommandOptions): Promise<CommandResult> {
  const { sandboxLaunch, cwd, input = '', timeoutMs, outputBytesMax = 64 * 1024, signal } = command;
  if (signal?.aborted === true) return createFailedResult('called-off', 'was cancelled');
  const child = spawnCommand(sandboxLaunch, cwd);
  if (typeof child === 'string') return createFailedResult('not-started', child);
  const stdout = collectOutput(child.stdout, outputBytesMax);
  const stderr = collectOutput(child.stderr, outputBytesMax);
  // Ignore write errors, because a command need not read its input.
  child.stdin?.on('error', () => undefined).end(input);
  const ended = await waitForCommandEnd(child, timeoutMs, signal);
  return { ...ended, stdout: stdout(), stderr: stderr() };
}

/** Spawns the process, or returns why it failed; some errors surface only later, as an event. */
function spawnCommand({ file, args, env }: SandboxLaunch, cwd: string): ChildProcess | string {
  try {
    const program = buildProgramCommand(file, args, { env, cwd });
    return spawn(program.file, program.args, {
      cwd,
      env,
      detached: hasProcessGroups(),
      stdio: 'pipe',
      windowsHide: true,
      windowsVerbatimArguments: program.windowsVerbatimArguments,
    });
  } catch (error) {
    return describeStartFailure(error);
  }
}

function createFailedResult(kind: CommandResult['kind'], summary: string): CommandResult {
  return { kind, code: null, stdout: '', stderr: '', summary };
}

function describeStartFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'EACCES')
    return 'could not be started: there is no such command or folder, or you may not use it';
  return `could not be started: ${error instanceof Error ? error.message : String(error)}`;
}

function collectOutput(stream: Readable | null, bytesMax: number): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, bytesMax - bytes);
    bytes += part.length;
    if (part.length > 0) chunks.push(part);
  });
  stream?.on('error', () => undefined);
  return () => Buffer.concat(chunks).toString('utf8');
}

type CommandExit = Pick<CommandResult, 'kind' | 'code' | 'summary'>;

/** How long a process may take to exit after SIGTERM, and how long its output may stay open after the exit. */
const killGraceMs = 300;

async function waitForCommandEnd(
  child: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<CommandExit> {
  let stopped: CommandExit | null = null;
  const timers: NodeJS.Timeout[] = [];
  const stop = (exit: CommandExit): void => {
    stopped ??= exit;
    killProcessGroup(child, 'SIGTERM');
    timers.push(setTimeout(() => killProcessGroup(child, 'SIGKILL'), killGraceMs));
  };
  const onAbort = (): void => stop({ kind: 'called-off', code: null, summary: 'was cancelled' });
  const timeoutSummary = `took longer than ${timeoutMs / 1_000} s and was ended`;
  timers.push(setTimeout(() => stop({ kind: 'timed-out', code: null, summary: timeoutSummary }), timeoutMs));
  signal?.addEventListener('abort', onAbort, { once: true });
  const ended = await waitForExit(child);
  signal?.removeEventListener('abort', onAbort);
  for (const timer of timers) clearTimeout(timer);
  // Kill remaining processes, and do not wait for an output that another process holds open.
  killProcessGroup(child, 'SIGKILL');
  await closeStreams(child);
  return stopped ?? ended;
}

function waitForExit(child: ChildProcess): Promise<CommandExit> {
  return new Promise((resolve) => {
    child.once('error', (error) =>
      resolve({ kind: 'not-started', code: null, summary: describeStartFailure(error) }),
    );
    child.once('exit', (code, name) =>
      resolve(
        code === null
          ? { kind: 'killed', code, summary: `was ended by ${name ?? 'a signal'}` }
          : { kind: 'exited', code, summary: `ended with exit code ${code}` },
      ),
    );
  });
}

function killProcessGroup(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  // On Windows an exited process has no group, and its id may already belong to another process.
  if (hasProcessGroups() || child.exitCode === null) signalProcessGroup(child.pid, name);
}

async function closeStreams(child: ChildProcess): Promise<void> {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const signal = AbortSignal.timeout(killGraceMs);
  await Promise.allSettled(streams.map((stream) => finished(stream, { signal })));
  for (const stream of [child.stdin, ...streams]) stream?.destroy();
}

type ProcessEnvironment = { readonly [name: string]: string };

/** Variables that a program needs to run and to write readable text. Any other variable may contain a secret. */
const harmlessVariables: ReadonlySet<string> = new Set(
  (
    'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ CI TERM COLORTERM NO_COLOR ' +
    'SYSTEMROOT COMSPEC PATHEXT USERPROFILE TEMP TMP'
  ).split(' '),
);

/** Builds the environment for an untrusted command: no keys, no tokens, no sockets. */
export function scrubEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): ProcessEnvironment {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isHarmlessVariable(name.toUpperCase(), platform)
      ? [[name, name.toUpperCase() === 'PATH' ? filterSearchPath(value, platform) : value] as const]
      : [],
  );
  return { ...Object.fromEntries(variables), ...(platform === 'win32' && { [safeSearchVariable]: '1' }) };
}

function isHarmlessVariable(name: string, platform: NodeJS.Platform): boolean {
  if (harmlessVariables.has(name) || name.startsWith('LC_')) return true;
  // macOS gives each user a separate folder for temporary files.
  return platform === 'win32' ? windowsVariables.includes(name) : platform === 'darwin' && name === 'TMPDIR';
}

/** Drops empty and relative entries, because they let a file in the working folder impersonate a system command. */
function filterSearchPath(value: string, platform: NodeJS.Platform): string {
  const paths = getPlatformPaths(platform);
  return value
    .split(paths.delimiter)
    .filter((folder) => paths.isAbsolute(folder))
    .join(paths.delimiter);
}
