import { statfs } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';

/** How busy the machine is. What cannot be measured is NaN, and is neither too much nor little enough. */
export type Resources = {
  /** The share of processor time in use since the last look, from 0 to 1. */
  readonly cpuUsed: number;
  /** The share of memory in use, from 0 to 1. */
  readonly memoryUsed: number;
  readonly diskFreeBytes: number;
};

export type Probe = () => Promise<Resources>;

/** Looks at this machine, and at the disk that holds a folder. */
export function systemProbe(folder: string): Probe {
  let last = processorTimes();
  return async () => {
    const now = processorTimes();
    const all = now.all - last.all;
    const idle = now.idle - last.idle;
    last = now;
    // In a container this is what the container may use, not what the machine has.
    const memory = process.constrainedMemory();
    const memoryMax = memory > 0 && memory < totalmem() ? memory : totalmem();
    const disk = await statfs(folder).catch(() => null);
    return {
      cpuUsed: all > 0 ? 1 - idle / all : Number.NaN,
      memoryUsed: 1 - Math.min(1, process.availableMemory() / memoryMax),
      diskFreeBytes: disk === null ? Number.NaN : disk.bavail * disk.bsize,
    };
  };
}

function processorTimes(): { readonly all: number; readonly idle: number } {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { all, idle: times.reduce((sum, { idle }) => sum + idle, 0) };
}
