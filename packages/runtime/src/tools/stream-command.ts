import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Confines, Launcher } from '../sandbox/launcher.ts';
import { codeOf } from '../search/system-error.ts';
import { familyOf, killTree, markName, signalGroup, type Kin } from './kill-tree.ts';

export type CommandRun = {
  readonly launcher: Launcher;
  readonly command: readonly [string, ...string[]];
  readonly confines: Confines;
  readonly signal: AbortSignal;
  /** What the command and all it starts is known by; made up if left out. */
  readonly mark?: string;
  /** Gets what the command writes, to either stream, as it comes; it writes no faster than this is done with it. */
  readonly take: (chunk: Buffer) => Promise<void>;
};

export type CommandEnd =
  /** `leftRunning` says that it had left something running, which was ended. */
  | { readonly kind: 'exited'; readonly code: number; readonly leftRunning: boolean }
  | { readonly kind: 'killed'; readonly signal: string }
  /** By the signal that was given. */
  | { readonly kind: 'aborted' }
  | { readonly kind: 'not-started'; readonly why: string };

/** A command that is told to end has so long to do it by itself. */
const termMs = 1_000;
/** How long output may still come after the end; more only comes from what was left running. */
const drainMs = 250;

/** Runs a command to its end, and sees to it that nothing it started outlives it. */
export async function streamCommand(run: CommandRun): Promise<CommandEnd> {
  const { launcher, command, confines, signal, take, mark = randomBytes(12).toString('hex') } = run;
  if (signal.aborted) return { kind: 'aborted' };
  const marked = { ...confines, env: { ...confines.env, [markName]: mark } };
  const child = start(launcher, command, marked);
  if (typeof child === 'string') return { kind: 'not-started', why: child };
  const end = endOf(child);
  const pumped = Promise.all([pump(child.stdout, take), pump(child.stderr, take)]);
  let known: readonly Kin[] = [];
  const stop = async (): Promise<void> => {
    if (child.pid === undefined) return;
    // Whose child is whose is only known as long as the parents live.
    known = await familyOf(child.pid, mark);
    await stopGently(child.pid, end);
  };
  const onAbort = (): void => void stop();
  signal.addEventListener('abort', onAbort, { once: true });
  const ended = await end;
  signal.removeEventListener('abort', onAbort);
  if (child.pid === undefined || ended.kind === 'not-started') return ended;
  await Promise.race([pumped, sleep(drainMs)]);
  const leftRunning = await killTree(child.pid, mark, known);
  await Promise.race([pumped, sleep(drainMs)]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  await pumped;
  if (signal.aborted) return { kind: 'aborted' };
  return ended.kind === 'exited' ? { ...ended, leftRunning } : ended;
}

/** In a group of its own, with nothing to read from; a string says why it could not be. */
function start(
  launcher: Launcher,
  command: CommandRun['command'],
  confines: Confines,
): ChildProcess | string {
  try {
    const { file, args, env } = launcher.launch(command, confines);
    return spawn(file, args, { cwd: confines.cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
}

function endOf(child: ChildProcess): Promise<CommandEnd> {
  const { promise, resolve } = Promise.withResolvers<CommandEnd>();
  child.once('error', (error) => resolve({ kind: 'not-started', why: error.message }));
  child.once('exit', (code, signal) => {
    if (code === null) resolve({ kind: 'killed', signal: signal ?? 'unknown' });
    else resolve({ kind: 'exited', code, leftRunning: false });
  });
  return promise;
}

/** First asked, then made to. */
async function stopGently(pid: number, end: Promise<unknown>): Promise<void> {
  signalGroup(pid, 'SIGTERM');
  const done = new AbortController();
  const waited = sleep(termMs, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([end, waited]);
  done.abort();
  signalGroup(pid, 'SIGKILL');
}

async function pump(stream: Readable | null, take: CommandRun['take']): Promise<void> {
  if (stream === null) return;
  try {
    for await (const chunk of stream) await take(chunk as Buffer);
  } catch (error) {
    // Closed by us, because something that was left running still held it.
    if (codeOf(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
