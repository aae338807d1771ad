import type { ResourceUsage } from './probe.ts';

/** Work pauses while a limit is exceeded. */
export type ResourceLimits = {
  readonly cpuUsedMax: number;
  readonly memoryUsedMax: number;
  readonly diskFreeBytesMin: number;
  /** How many consecutive samples must agree, both to pause and to resume. */
  readonly looks: number;
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
  looks: 3,
  margin: 0.1,
};

type ResourceMeasure = keyof ResourceUsage;

/** The state accumulated from recent samples. */
export type ResourcePressure = {
  /** Measures that exceeded their limits in enough consecutive samples; empty if there is no shortage. */
  readonly short: readonly ResourceMeasure[];
  readonly over: { readonly [Name in ResourceMeasure]: number };
  readonly clear: number;
};

export const noPressure: ResourcePressure = {
  short: [],
  over: { cpuUsed: 0, memoryUsed: 0, diskFreeBytes: 0 },
  clear: 0,
};

const resourceMeasures: readonly ResourceMeasure[] = ['cpuUsed', 'memoryUsed', 'diskFreeBytes'];

/** Updates the state with one more sample. */
export function updatePressure(
  last: ResourcePressure,
  seen: ResourceUsage,
  limits: ResourceLimits,
): ResourcePressure {
  const count = (name: ResourceMeasure): number =>
    isOverLimit(name, seen, limits) ? last.over[name] + 1 : 0;
  const over = {
    cpuUsed: count('cpuUsed'),
    memoryUsed: count('memoryUsed'),
    diskFreeBytes: count('diskFreeBytes'),
  };
  const found = resourceMeasures.filter((name) => over[name] >= limits.looks || last.short.includes(name));
  const isClear = found.length > 0 && found.every((name) => isWellBelow(name, seen, limits));
  const clear = isClear ? last.clear + 1 : 0;
  return clear >= limits.looks ? { ...noPressure, over } : { short: found, over, clear };
}

function isOverLimit(name: ResourceMeasure, seen: ResourceUsage, limits: ResourceLimits): boolean {
  return exceedsLimit(name, seen[name], getResourceLimit(name, limits));
}

function isWellBelow(name: ResourceMeasure, seen: ResourceUsage, limits: ResourceLimits): boolean {
  const limit = getResourceLimit(name, limits);
  const value = seen[name];
  const easier = name === 'diskFreeBytes' ? limit * (1 + limits.margin) : limit * (1 - limits.margin);
  return Number.isFinite(value) && !exceedsLimit(name, value, easier);
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
export function describeShortage({ short }: ResourcePressure, limits: ResourceLimits): string {
  const words: { readonly [Name in ResourceMeasure]: string } = {
    cpuUsed: `the processor is more than ${formatPercent(limits.cpuUsedMax)} busy`,
    memoryUsed: `more than ${formatPercent(limits.memoryUsedMax)} of the memory is in use`,
    diskFreeBytes: `less than ${(limits.diskFreeBytesMin / 1e9).toFixed(1)} GB are free on the disk`,
  };
  return short.map((name) => words[name]).join(', and ');
}

function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
