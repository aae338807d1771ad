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

/** Work pauses while a limit is exceeded. */
export type ResourceLimits = {
  readonly cpuUsedMax: number;
  readonly memoryUsedMax: number;
  readonly diskFreeBytesMin: number;
  /** How many consecutive samples must agree, both to pause and to resume. */
  readonly samples: number;
  /**
   * How far a measure must recover beyond its limit, as a share of it, so that work does not pause and resume
   * repeatedly.
   */
  readonly margin: number;
};

export const resourceLimits: ResourceLimits = {
  cpuUsedMax: 0.8,
  memoryUsedMax: 0.85,
  diskFreeBytesMin: 5e9,
  samples: 3,
  margin: 0.1,
};

type ResourceMeasure = keyof ResourceUsage;

/** The state accumulated from recent samples. */
export type ResourcePressure = {
  /** Measures that exceeded their limits in enough consecutive samples; empty if there is no shortage. */
  readonly exceeded: readonly ResourceMeasure[];
  readonly overCounts: { readonly [Name in ResourceMeasure]: number };
  readonly clearCount: number;
};

export const noPressure: ResourcePressure = {
  exceeded: [],
  overCounts: { cpuUsed: 0, memoryUsed: 0, diskFreeBytes: 0 },
  clearCount: 0,
};

const resourceMeasures: readonly ResourceMeasure[] = ['cpuUsed', 'memoryUsed', 'diskFreeBytes'];

/** Updates the state with one more sample. */
export function updatePressure(
  last: ResourcePressure,
  usage: ResourceUsage,
  limits: ResourceLimits,
): ResourcePressure {
  const count = (name: ResourceMeasure): number =>
    isOverLimit(name, usage, limits) ? last.overCounts[name] + 1 : 0;
  const overCounts = {
    cpuUsed: count('cpuUsed'),
    memoryUsed: count('memoryUsed'),
    diskFreeBytes: count('diskFreeBytes'),
  };
  const exceeded = resourceMeasures.filter(
    (name) => overCounts[name] >= limits.samples || last.exceeded.includes(name),
  );
  const isClear = exceeded.length > 0 && exceeded.every((name) => isWellBelow(name, usage, limits));
  const clearCount = isClear ? last.clearCount + 1 : 0;
  return clearCount >= limits.samples
    ? { ...noPressure, overCounts }
    : { exceeded: exceeded, overCounts, clearCount };
}

function isOverLimit(name: ResourceMeasure, usage: ResourceUsage, limits: ResourceLimits): boolean {
  return exceedsLimit(name, usage[name], getResourceLimit(name, limits));
}

function isWellBelow(name: ResourceMeasure, usage: ResourceUsage, limits: ResourceLimits): boolean {
  const limit = getResourceLimit(name, limits);
  const value = usage[name];
  const recoveryLimit = name === 'diskFreeBytes' ? limit * (1 + limits.margin) : limit * (1 - limits.margin);
  return Number.isFinite(value) && !exceedsLimit(name, value, recoveryLimit);
}

function exceedsLimit(name: ResourceMeasure, value: number, limit: number): boolean {
  return name === 'diskFreeBytes' ? value < limit : value > limit;
}

function getResourceLimit(name: ResourceMeasure, limits: ResourceLimits): number {
  switch (name) {
    case 'cpuUsed':
      return limits.cpuUsedMax;
    case 'memoryUsed':
      return limits.memoryUsedMax;
    case 'diskFreeBytes':
      return limits.diskFreeBytesMin;
    default:
      return name satisfies never;
  }
}

/** Describes the shortage in a text that stays the same while it lasts. */
export function describeShortage({ exceeded }: ResourcePressure, limits: ResourceLimits): string {
  const descriptions: { readonly [Name in ResourceMeasure]: string } = {
    cpuUsed: `CPU usage is above ${formatPercent(limits.cpuUsedMax)}`,
    memoryUsed: `memory usage is above ${formatPercent(limits.memoryUsedMax)}`,
    diskFreeBytes: `less than ${(limits.diskFreeBytesMin / 1e9).toFixed(1)} GB of disk space is free`,
  };
  return exceeded.map((name) => descriptions[name]).join(' and ');
}

function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
