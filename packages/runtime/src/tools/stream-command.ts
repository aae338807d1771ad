import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  hasProcessGroups,
  createProcessTable,
  signalProcessGroup,
  type ListedProcess,
  type ProcessTable,
} from '../platform/processes.ts';
import type { SandboxPolicy, CommandSandbox } from '../sandbox/command-sandbox.ts';
import { getSystemErrorCode } from '../platform/files.ts';

export type StreamCommandOptions = {
  readonly sandbox: CommandSandbox;
  readonly command: readonly [string, ...string[]];
  /** Windows only: the arguments are already quoted. */
  readonly windowsVerbatimArguments?: boolean;
  readonly policy: SandboxPolicy;
  readonly signal: AbortSignal;
  /** Identifies the command and all its descendants; random by default. */
  readonly mark?: string;
  /** Receives the output of both streams as it arrives; the returned promise applies backpressure. */
  readonly onChunk: (chunk: Buffer) => Promise<void>;
};

export type StreamedCommandEnd =
  /** `leftRunning` means that it left background processes, which were killed. */
  | { readonly kind: 'exited'; readonly code: number; readonly leftRunning: boolean }
  | { readonly kind: 'killed'; readonly signal: string }
  /** Aborted by the given signal. */
  | { readonly kind: 'aborted' }
  | { readonly kind: 'not-started'; readonly reason: string };

/** How long a command may take to exit after SIGTERM. */
const terminateGraceMs = 1_000;
/** If no output arrives for this long after the exit, only a background process can hold the stream open. */
const drainMs = 250;
/** Maximum output accepted after all processes were killed: more than a pipe holds, in case a process escaped. */
const drainBytesMax = 2 * 1024 * 1024;

/** Runs a command to its end and ensures that no process it started outlives it. */
export async function streamCommand(run: StreamCommandOptions): Promise<StreamedCommandEnd> {
  const { policy, signal, onChunk, mark = randomBytes(12).toString('hex') } = run;
  if (signal.aborted) return { kind: 'aborted' };
  const marked = { ...policy, env: { ...policy.env, [commandMarkVariable]: mark } };
  const child = spawnStreamedCommand({ ...run, policy: marked });
  if (typeof child === 'string') return { kind: 'not-started', reason: child };
  const end = waitForStreamedEnd(child);
  const flow: OutputFlow = { bytes: 0, pending: 0 };
  const onCountedChunk = countOutput(flow, onChunk);
  const streamsEnded = Promise.all([
    pumpStream(child.stdout, onCountedChunk),
    pumpStream(child.stderr, onCountedChunk),
  ]);
  let known: readonly ProcessRef[] = [];
  const stop = async (): Promise<void> => {
    if (child.pid === undefined) return;
    // Parent-child relations are only known while the parents live.
    known = await findDescendants(child.pid, mark);
    await stopGroupGracefully(child.pid, end);
  };
  const onAbort = (): void => void stop();
  signal.addEventListener('abort', onAbort, { once: true });
  const result = await end;
  signal.removeEventListener('abort', onAbort);
  if (child.pid === undefined || result.kind === 'not-started') return result;
  await Promise.race([streamsEnded, sleep(drainMs)]);
  const leftRunning = await killTree(child.pid, mark, known);
  await drainOutput(streamsEnded, flow);
  child.stdout?.destroy();
  child.stderr?.destroy();
  await streamsEnded;
  if (signal.aborted) return { kind: 'aborted' };
  return result.kind === 'exited' ? { ...result, leftRunning } : result;
}

/** Spawns the command in its own process group without stdin; returns the error message if that fails. */
function spawnStreamedCommand({
  sandbox,
  command,
  policy,
  windowsVerbatimArguments = false,
}: StreamCommandOptions): ChildProcess | string {
  try {
    const { file, args, env } = sandbox.launch(command, policy);
    return spawn(file, args, {
      cwd: policy.cwd,
      env,
      // On Windows a detached process gets its own console window.
      detached: hasProcessGroups(),
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      windowsVerbatimArguments,
    });
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
}

function waitForStreamedEnd(child: ChildProcess): Promise<StreamedCommandEnd> {
  const { promise, resolve } = Promise.withResolvers<StreamedCommandEnd>();
  child.once('error', (error) => resolve({ kind: 'not-started', reason: error.message }));
  child.once('exit', (code, signal) => {
    if (code === null) resolve({ kind: 'killed', signal: signal ?? 'unknown' });
    else resolve({ kind: 'exited', code, leftRunning: false });
  });
  return promise;
}

/** Sends SIGTERM, then SIGKILL after the grace period. */
async function stopGroupGracefully(pid: number, end: Promise<unknown>): Promise<void> {
  signalCommandGroup(pid, 'SIGTERM');
  const done = new AbortController();
  const timeout = sleep(terminateGraceMs, undefined, { signal: done.signal }).catch(() => undefined);
  await Promise.race([end, timeout]);
  done.abort();
  signalCommandGroup(pid, 'SIGKILL');
}

type OutputFlow = { bytes: number; pending: number };

function countOutput(
  flow: OutputFlow,
  onChunk: StreamCommandOptions['onChunk'],
): StreamCommandOptions['onChunk'] {
  return async (chunk) => {
    flow.bytes += chunk.length;
    flow.pending += 1;
    try {
      await onChunk(chunk);
    } finally {
      flow.pending -= 1;
    }
  };
}

/** Resolves once all output is consumed, however slowly, or none has arrived for a while. */
async function drainOutput(streamsEnded: Promise<unknown>, flow: OutputFlow): Promise<void> {
  const bytesMax = flow.bytes + drainBytesMax;
  for (let before = -1; flow.pending > 0 || flow.bytes > before;) {
    before = flow.bytes;
    if (await Promise.race([streamsEnded.then(() => true), sleep(drainMs, false)])) return;
    // A late timer fires before pending output is read, so yield once.
    await nextTurn();
    if (flow.bytes > bytesMax) return;
  }
}

async function pumpStream(stream: Readable | null, onChunk: StreamCommandOptions['onChunk']): Promise<void> {
  if (stream === null) return;
  try {
    for await (const chunk of stream) await onChunk(chunk as Buffer);
  } catch (error) {
    // We closed the stream, because a background process still held it open.
    if (getSystemErrorCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** The environment variable that marks a command and all its descendants, including detached ones. */
export const commandMarkVariable = 'PAWL_COMMAND';

/** A program that forks faster than the scan may need several rounds. */
const roundsMax = 50;

/** Identifies a process; the start time distinguishes it from a later process with the same id. */
type ProcessRef = { readonly pid: number; readonly startedAt: string };

/**
 * Kills a process, its group and all its descendants that can be found: by parent id, by the mark in their environment,
 * or because they were seen before (`known`). A process that removed its mark and whose parents exited before the scan
 * escapes; only a sandbox prevents that. Resolves to whether anything was left to kill.
 */
async function killTree(pid: number, mark: string, known: readonly ProcessRef[]): Promise<boolean> {
  // On Windows the process id may already belong to another process.
  const killed = hasProcessGroups() && signalCommandGroup(pid, 'SIGKILL');
  return (await killAll(() => findDescendants(pid, mark, known))) || killed;
}

async function killAll(find: () => Promise<readonly ProcessRef[]>): Promise<boolean> {
  let killed = false;
  for (let round = 0; round < roundsMax; round += 1) {
    const processes = await find();
    if (processes.length === 0) break;
    killed = true;
    for (const each of processes) sendSignal(each.pid, 'SIGKILL');
    await sleep(5);
  }
  return killed;
}

/** Kills all processes with this mark and their descendants; used when the process that started them is gone. */
export function killMarkedProcesses(mark: string): Promise<boolean> {
  return killAll(() => findDescendants(noProcessId, mark));
}

/** An id that no process has. */
const noProcessId = -1;

/** Returns false if the group no longer exists. */
function signalCommandGroup(pid: number, name: NodeJS.Signals): boolean {
  return signalProcessGroup(pid, name);
}

function sendSignal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // The process has exited, or belongs to another user.
    return false;
  }
}

const systemProcessTable = createProcessTable();

/**
 * Lists the running descendants of a process. Windows has no such list; there `signalProcessGroup` alone ends a tree.
 */
export async function findDescendants(
  root: number,
  mark: string,
  known: readonly ProcessRef[] = [],
  table: ProcessTable = systemProcessTable,
): Promise<readonly ProcessRef[]> {
  const all = await table.list();
  const isKnown = ({ pid, startedAt }: ProcessRef): boolean =>
    known.some((ref) => ref.pid === pid && ref.startedAt === startedAt);
  const isMarked = ({ environment }: ListedProcess): boolean =>
    environment.includes(`${commandMarkVariable}=${mark}`);
  const family = new Set([
    root,
    ...all.filter((each) => isMarked(each) || isKnown(each)).map(({ pid }) => pid),
  ]);
  for (let before = 0; family.size > before;) {
    before = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return all.filter(({ pid }) => family.has(pid) && pid !== process.pid);
}
