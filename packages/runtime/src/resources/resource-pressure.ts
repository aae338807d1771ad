import type { ResourceUsage } from './probe.ts';

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
