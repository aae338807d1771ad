import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { readProcessStatus, type ProcessStatus } from '../process-status.ts';
import { codeOf } from '../search/system-error.ts';

/** A process, as far as the system tells: `-` stands for what it does not tell. */
type Owner = {
  readonly host: string;
  /** The boot of the machine that it runs in. */
  readonly boot: string;
  /** The space its number counts in: another container has processes with the same numbers. */
  readonly space: string;
  readonly pid: number;
  readonly start: string;
};

/** Names this process, so that others can tell whether it still runs: for the owner of a claim. */
export function thisProcess(): string {
  const { host, boot, space, pid, start } = self();
  return `pawl host=${host} boot=${boot} space=${space} pid=${pid} start=${start}`;
}

/**
 * Whether the process that `thisProcess` named still runs. It is unknown where the name is not one of these, or where the
 * process is on another machine or in another container, which nobody can look into from here.
 */
export function ownerState(owner: string): 'alive' | 'gone' | 'unknown' {
  const theirs = parse(owner);
  const ours = self();
  if (theirs?.host !== ours.host) return 'unknown';
  if (theirs.boot !== ours.boot) return theirs.boot === '-' || ours.boot === '-' ? 'unknown' : 'gone';
  if (theirs.space !== ours.space) return 'unknown';
  const status = statusOf(theirs.pid);
  if (status !== null) return status.startedAt === theirs.start && !status.hasEnded ? 'alive' : 'gone';
  if (!isThere(theirs.pid)) return 'gone';
  // There is such a process, and the system does not let us see whether it is this one.
  return theirs.start === '-' ? 'alive' : 'unknown';
}

function self(): Owner {
  const { pid } = process;
  return {
    host: encodeURIComponent(hostname().toWellFormed()).slice(0, hostMax) || '-',
    boot: told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    space: told(() => readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')),
    pid,
    start: statusOf(pid)?.startedAt ?? '-',
  };
}

/** Keeps the whole name within what a store takes for an owner. */
const hostMax = 64;

/** Only Linux tells these. */
function told(read: () => string): string {
  try {
    return read() || '-';
  } catch {
    return '-';
  }
}

function statusOf(pid: number): ProcessStatus | null {
  try {
    return readProcessStatus(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return null;
  }
}

const form = /^pawl host=(\S{1,64}) boot=(\S{1,36}) space=(\d{1,20}|-) pid=(\d{1,10}) start=(\d{1,20}|-)$/;
const pidMax = 2 ** 31 - 1;

function parse(owner: string): Owner | null {
  const [, host, boot, space, number, start] = form.exec(owner) ?? [];
  const pid = Number(number);
  if (host === undefined || boot === undefined || space === undefined || start === undefined) return null;
  return pid >= 1 && pid <= pidMax ? { host, boot, space, pid, start } : null;
}

/** Signal 0 is not sent: it only asks. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
