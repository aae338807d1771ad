import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { findSystemProgram, type ProgramCommand } from './programs.ts';
import { getSystemErrorCode } from './files.ts';

/** An entry of the process table. `startedAt` distinguishes it from a later process with the same id. */
export type ListedProcess = {
  readonly pid: number;
  readonly parent: number;
  readonly startedAt: string;
  /** The known part of its environment, as text. */
  readonly environment: string;
};

/** Runs a program and returns its output; null if it fails. */
export type ProgramReader = (file: string, args: readonly string[]) => string | null;

/** Reads system and process information; null means that the system does not provide a value. */
export type ProcessTable = {
  /** Identifies the boot of the machine. */
  readBootId(): string | null;
  /** Identifies the PID namespace, because another container may use the same process ids. */
  readPidNamespace(): string | null;
  readStatus(pid: number): ProcessStatus | null;
  /** All running processes; empty on Windows. */
  list(): Promise<readonly ListedProcess[]>;
};

/** Uses `/proc` on Linux, and `ps` and `sysctl` on macOS. On Windows only the process id is known. */
export function createProcessTable(
  platform: NodeJS.Platform = process.platform,
  read: ProgramReader = readProgramOutput,
): ProcessTable {
  if (platform === 'darwin') return createPsTable(read);
  if (platform === 'win32') return emptyProcessTable;
  return procProcessTable;
}

const emptyProcessTable: ProcessTable = {
  readBootId: () => null,
  readPidNamespace: () => null,
  readStatus: () => null,
  list: () => Promise.resolve([]),
};

const procProcessTable: ProcessTable = {
  readBootId: () => readOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
  readPidNamespace: () => readOrNull(() => readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')),
  readStatus: (pid) => readOrNull(() => parseProcessStatus(readFileSync(`/proc/${pid}/stat`, 'latin1'))),
  async list() {
    const names = await readdir('/proc').catch(() => []);
    const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
    return (await Promise.all(pids.map(readProcEntry))).filter((each) => each !== null);
  },
};

function readOrNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Returns null for a process that is gone or a zombie. */
async function readProcEntry(pid: number): Promise<ListedProcess | null> {
  try {
    const { hasEnded, parent, startedAt } = parseProcessStatus(await readFile(`/proc/${pid}/stat`, 'latin1'));
    if (hasEnded) return null;
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    return { pid, parent, startedAt, environment };
  } catch {
    return null;
  }
}

const psColumns = ['-o', 'pid=,ppid=,stat=,lstart='] as const;

function createPsTable(read: ProgramReader): ProcessTable {
  let bootId: string | null | undefined;
  return {
    readBootId: () => (bootId ??= read('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'])?.trim() || null),
    readPidNamespace: () => null,
    readStatus(pid) {
      const line = read('/bin/ps', [...psColumns, '-p', String(pid)]) ?? '';
      const found = parsePsLine(line.trimEnd());
      return found === null || found.pid !== pid ? null : found;
    },
    // -E appends the environment to the command, for processes whose environment the system shows.
    list: () => {
      const text = read('/bin/ps', ['-A', '-E', '-ww', '-o', 'pid=,ppid=,stat=,lstart=,command=']) ?? '';
      const all = text.split('\n').map(parsePsLine);
      return Promise.resolve(all.filter((each) => each !== null && !each.hasEnded) as ListedProcess[]);
    },
  };
}

/** The columns of `ps`; the start time has the form `Tue Nov 17 04:11:02 2026`, in UTC. */
const psLinePattern = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]{8}\s+\d{4})(?:\s+(.*))?$/s;

/** Parses one line of `ps`; null if the line has another form. */
export function parsePsLine(line: string): (ListedProcess & ProcessStatus) | null {
  const [, pid, parent, state, start, command = ''] = psLinePattern.exec(line) ?? [];
  if (pid === undefined || parent === undefined || state === undefined || start === undefined) return null;
  const startedAt = Date.parse(`${start.replaceAll(/\s+/g, ' ')} UTC`) / 1_000;
  if (!Number.isSafeInteger(startedAt)) return null;
  return {
    pid: Number(pid),
    parent: Number(parent),
    hasEnded: state.startsWith('Z'),
    startedAt: String(startedAt),
    environment: command,
  };
}

function readProgramOutput(file: string, args: readonly string[]): string | null {
  const { status, stdout } = spawnSync(file, args, {
    encoding: 'utf8',
    env: { LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 5_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return status === 0 ? stdout : null;
}

/** Whether a process and its descendants can be signaled as a group. Windows has no process groups. */
export function hasProcessGroups(platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'win32';
}

/** Builds the command that kills a process and all its descendants on Windows. */
export function buildKillCommand(
  pid: number,
  env: { readonly [name: string]: string | undefined } = process.env,
): Pick<ProgramCommand, 'file' | 'args'> {
  return { file: findSystemProgram('taskkill.exe', env), args: ['/pid', String(pid), '/T', '/F'] };
}

export type KillOptions = {
  readonly platform?: NodeJS.Platform;
  /** Sends a signal; throws if the process does not exist. */
  readonly kill?: (pid: number, signal: NodeJS.Signals | 0) => boolean;
  /** Starts a program without waiting for it. */
  readonly start?: (file: string, args: readonly string[]) => void;
};

/**
 * Signals a process group. Windows has no signals: there the whole process tree is killed at once, which works only
 * while the root process is running. Returns false if nothing is left to signal.
 */
export function signalProcessGroup(
  pid: number,
  signal: NodeJS.Signals,
  { platform = process.platform, kill = process.kill.bind(process), start = startDetached }: KillOptions = {},
): boolean {
  try {
    if (hasProcessGroups(platform)) return kill(-pid, signal);
    // Throws if the process has exited, because its id may already belong to another one.
    kill(pid, 0);
    const { file, args } = buildKillCommand(pid);
    start(file, args);
    return true;
  } catch {
    return false;
  }
}

function startDetached(file: string, args: readonly string[]): void {
  spawn(file, args, { stdio: 'ignore', windowsHide: true })
    .on('error', () => undefined)
    .unref();
}

/** Status of a Linux process. Its start time distinguishes it from a later process with the same pid. */
export type ProcessStatus = {
  readonly hasEnded: boolean;
  readonly parent: number;
  readonly startedAt: string;
};

/** Indexes of the fields after the process name in `/proc/<pid>/stat`. */
const statFields = { state: 0, parent: 1, startedAt: 19 } as const;

/** Parses `/proc/<pid>/stat`. An ended process stays listed as a zombie until its parent reaps it. */
export function parseProcessStatus(text: string): ProcessStatus {
  // The name is in parentheses and may contain any character, including parentheses.
  const values = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    hasEnded: 'ZX'.includes(values[statFields.state] ?? 'X'),
    parent: Number(values[statFields.parent]),
    startedAt: values[statFields.startedAt] ?? '',
  };
}

/** Signal 0 only checks that the process exists; no signal is sent. */
export function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return getSystemErrorCode(error) === 'EPERM';
  }
}
