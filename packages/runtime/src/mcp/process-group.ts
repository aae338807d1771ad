import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A program together with everything it starts. */
export type ProcessGroup = {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program is gone and what it had written is read. Rejects if it could not be started. */
  readonly ended: Promise<Exit>;
  /** Closes its input, asks it to end, and then ends it and all it started. */
  end(graceMs: number): Promise<void>;
};

export type Launch = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly cwd: string | undefined;
};

/**
 * Waits beside the program for the end of a pipe that only we hold open, and then ends the whole group. So nothing is
 * left behind even if we are killed. It is there before the program is, and it keeps the number of the group from being
 * given to anybody else.
 */
const guard = `(trap '' TERM INT HUP; read -r _ <&3; kill -s KILL -- -$$) </dev/null >/dev/null 2>&1 & exec "$@" 3<&-`;

const hasGroups = process.platform !== 'win32';

export function startGroup({ command, args, env, cwd }: Launch): ProcessGroup {
  const options = { env, cwd, stdio: ['pipe', 'pipe', 'pipe', 'pipe'], windowsHide: true } as const;
  const child: ChildProcess = hasGroups
    ? spawn('/bin/sh', ['-c', guard, 'sh', command, ...args], {
        ...options,
        stdio: [...options.stdio],
        detached: true,
      })
    : spawn(command, [...args], { ...options, stdio: [...options.stdio] });
  const [stdin, stdout, stderr, lifeline] = child.stdio as unknown as [
    Writable,
    Readable,
    Readable,
    Writable,
  ];
  // A program that is gone closes its pipes; that it is gone is told by `ended`.
  for (const stream of [stdin, stdout, stderr, lifeline]) stream.on('error', () => undefined);
  const ended = untilEnded(child, lifeline);
  ended.catch(() => undefined);
  return {
    pid: child.pid,
    stdin,
    stdout,
    stderr,
    ended,
    end: (graceMs) => end(child, { stdin, ended, graceMs }),
  };
}

function untilEnded(child: ChildProcess, lifeline: Writable): Promise<Exit> {
  const { promise, resolve, reject } = Promise.withResolvers<Exit>();
  child.once('error', reject);
  child.once('exit', (code, signal) => {
    signalGroup(child, 'SIGKILL');
    lifeline.destroy();
    // What it had written before is still to be read; but whoever left the group may hold the pipe open for ever.
    const late = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ code, signal });
    }, 500);
    child.once('close', () => {
      clearTimeout(late);
      resolve({ code, signal });
    });
  });
  return promise;
}

type Ending = { readonly stdin: Writable; readonly ended: Promise<Exit>; readonly graceMs: number };

async function end(child: ChildProcess, { stdin, ended, graceMs }: Ending): Promise<void> {
  const gone = ended.then(
    () => true,
    () => true,
  );
  stdin.end();
  if (await within(gone, graceMs)) return;
  signalGroup(child, 'SIGTERM');
  if (await within(gone, graceMs)) return;
  signalGroup(child, 'SIGKILL');
  await gone;
}

async function within(gone: Promise<boolean>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  return Promise.race([gone, promise]).finally(() => clearTimeout(timer));
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(hasGroups ? -child.pid : child.pid, signal);
  } catch {
    // Nobody is left to be told.
  }
}
