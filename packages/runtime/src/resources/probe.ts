import { statfs } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';

/**
 * The machine's resource usage. A value that cannot be measured is NaN, which neither exceeds a limit nor clears one.
 */
export type ResourceUsage = {
  /** The share of CPU time in use since the last sample, from 0 to 1. */
  readonly cpuUsed: number;
  /** The share of memory in use, from 0 to 1. */
  readonly memoryUsed: number;
  readonly diskFreeBytes: number;
};

export type ResourceProbe = () => Promise<ResourceUsage>;

/** Samples this machine and the disk that holds a folder. */
export function createSystemProbe(folder: string): ResourceProbe {
  let last = readProcessorTimes();
  return async () => {
    const now = readProcessorTimes();
    const all = now.all - last.all;
    const idle = now.idle - last.idle;
    last = now;
    // In a container, this is the container's memory limit.
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

function readProcessorTimes(): { readonly all: number; readonly idle: number } {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { all, idle: times.reduce((sum, { idle }) => sum + idle, 0) };
}
