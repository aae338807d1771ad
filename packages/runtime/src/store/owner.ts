import { hostname } from 'node:os';
import { createProcessTable, isProcessRunning, type ProcessTable } from '../platform/processes.ts';

/** Identifies a process; `-` stands for a value that the system does not provide. */
type ProcessIdentity = {
  readonly host: string;
  /** The boot id of the machine. */
  readonly boot: string;
  /** The PID namespace, because another container may use the same process ids. */
  readonly space: string;
  readonly pid: number;
  readonly start: string;
};

/** Identifies this process as a claim owner, so that other processes can check whether it is still running. */
export function getProcessOwner(table: ProcessTable = systemProcessTable): string {
  const { host, boot, space, pid, start } = readOwnIdentity(table);
  return `pawl host=${host} boot=${boot} space=${space} pid=${pid} start=${start}`;
}

/**
 * Whether the process named by `getProcessOwner` is still running. "unknown" if the owner has another format, or if the
 * process is on another machine or in another container and cannot be inspected.
 */
export function getOwnerState(
  owner: string,
  table: ProcessTable = systemProcessTable,
): 'alive' | 'gone' | 'unknown' {
  const theirs = parseOwner(owner);
  const ours = readOwnIdentity(table);
  if (theirs?.host !== ours.host) return 'unknown';
  if (theirs.boot !== ours.boot) return theirs.boot === '-' || ours.boot === '-' ? 'unknown' : 'gone';
  if (theirs.space !== ours.space) return 'unknown';
  return getProcessState(theirs, table);
}

function getProcessState({ pid, start }: ProcessIdentity, table: ProcessTable): 'alive' | 'gone' | 'unknown' {
  const status = table.readStatus(pid);
  if (status !== null) return status.startedAt === start && !status.hasEnded ? 'alive' : 'gone';
  if (!isProcessRunning(pid)) return 'gone';
  // A process with this id exists, but the system does not reveal whether it is the same one.
  return start === '-' ? 'alive' : 'unknown';
}

const systemProcessTable = createProcessTable();

/** Caches the identity of this process, which does not change while it runs. */
const identityCache = new WeakMap<ProcessTable, ProcessIdentity>();

function readOwnIdentity(table: ProcessTable): ProcessIdentity {
  const before = identityCache.get(table);
  if (before !== undefined) return before;
  const { pid } = process;
  const owner = {
    host: encodeURIComponent(hostname().toWellFormed()).slice(0, hostMax) || '-',
    boot: table.readBootId() || '-',
    space: table.readPidNamespace() || '-',
    pid,
    start: table.readStatus(pid)?.startedAt ?? '-',
  };
  identityCache.set(table, owner);
  return owner;
}

/** Keeps the whole owner string within the store's length limit. */
const hostMax = 64;

const ownerPattern =
  /^pawl host=(\S{1,64}) boot=(\S{1,36}) space=(\d{1,20}|-) pid=(\d{1,10}) start=(\d{1,20}|-)$/;
const pidMax = 2 ** 31 - 1;

function parseOwner(owner: string): ProcessIdentity | null {
  const [, host, boot, space, number, start] = ownerPattern.exec(owner) ?? [];
  const pid = Number(number);
  if (host === undefined || boot === undefined || space === undefined || start === undefined) return null;
  return pid >= 1 && pid <= pidMax ? { host, boot, space, pid, start } : null;
}
