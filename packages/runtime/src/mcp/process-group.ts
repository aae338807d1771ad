import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { hasProcessGroups, signalProcessGroup } from '../platform/processes.ts';
import { buildProgramCommand, type ProgramCommand } from '../platform/programs.ts';

export type ProcessExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A program and all processes it starts. */
export type ProcessGroup = {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program has exited and its output was read. Rejects if it could not be started. */
  readonly ended: Promise<ProcessExit>;
  /** Closes standard input, then sends SIGTERM, then SIGKILL to the whole group. */
  end(graceMs: number): Promise<void>;
};

export type ProcessLaunch = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly cwd: string | undefined;
};

/**
 * A guard process that waits on a pipe only this process holds open, and then kills the whole group, so that no process
 * is left behind even if this process is killed. It starts before the program, and its existence prevents the process
 * group id from being reused.
 */
const guardScript = `(trap '' TERM INT HUP; read -r _ <&3; kill -s KILL -- -$$) </dev/null >/dev/null 2>&1 & exec "$@" 3<&-`;

/** Builds the command that starts a server: with the guard, or directly on Windows, which has no process groups. */
export function buildServerCommand(
  { command, args, env, cwd }: ProcessLaunch,
  platform: NodeJS.Platform = process.platform,
  exists?: (path: string) => boolean,
): ProgramCommand {
  if (!hasProcessGroups(platform))
    return buildProgramCommand(command, args, {
      env,
      platform,
      ...(cwd !== undefined && { cwd }),
      ...(exists && { exists }),
    });
  return {
    file: '/bin/sh',
    args: ['-c', guardScript, 'sh', command, ...args],
    windowsVerbatimArguments: false,
  };
}

export function startProcessGroup(launch: ProcessLaunch): ProcessGroup {
  const { env, cwd } = launch;
  const server = buildServerCommand(launch);
  const child: ChildProcess = spawn(server.file, server.args, {
    env,
    cwd,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: hasProcessGroups(),
    windowsHide: true,
    windowsVerbatimArguments: server.windowsVerbatimArguments,
  });
  const [stdin, stdout, stderr, lifeline] = child.stdio as unknown as [
    Writable,
    Readable,
    Readable,
    Writable,
  ];
  // Ignore pipe errors of a program that has exited; `ended` reports the exit.
  for (const stream of [stdin, stdout, stderr, lifeline]) stream.on('error', () => undefined);
  const ended = waitForGroupExit(child, lifeline);
  ended.catch(() => undefined);
  return {
    pid: child.pid,
    stdin,
    stdout,
    stderr,
    ended,
    end: (graceMs) => endProcessGroup(child, { stdin, ended, graceMs }),
  };
}

function waitForGroupExit(child: ChildProcess, lifeline: Writable): Promise<ProcessExit> {
  const { promise, resolve, reject } = Promise.withResolvers<ProcessExit>();
  child.once('error', reject);
  child.once('exit', (code, signal) => {
    if (hasProcessGroups()) signalChildGroup(child, 'SIGKILL');
    lifeline.destroy();
    // Wait for remaining output, but not forever: a process that left the group may hold the pipe open.
    const outputTimer = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ code, signal });
    }, 500);
    child.once('close', () => {
      clearTimeout(outputTimer);
      resolve({ code, signal });
    });
  });
  return promise;
}

type EndGroupOptions = {
  readonly stdin: Writable;
  readonly ended: Promise<ProcessExit>;
  readonly graceMs: number;
};

async function endProcessGroup(
  child: ChildProcess,
  { stdin, ended, graceMs }: EndGroupOptions,
): Promise<void> {
  const exited = ended.then(
    () => true,
    () => true,
  );
  stdin.end();
  if (await resolvesInTime(exited, graceMs)) return;
  signalChildGroup(child, 'SIGTERM');
  if (await resolvesInTime(exited, graceMs)) return;
  signalChildGroup(child, 'SIGKILL');
  await exited;
}

async function resolvesInTime(exited: Promise<boolean>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  return Promise.race([exited, promise]).finally(() => clearTimeout(timer));
}

function signalChildGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  signalProcessGroup(child.pid, signal);
}
