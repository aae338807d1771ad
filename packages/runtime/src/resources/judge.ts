import type { Resources } from './probe.ts';

/** Beyond these, work stops until there is room again. */
export type ResourceLimits = {
  readonly cpuUsedMax: number;
  readonly memoryUsedMax: number;
  readonly diskFreeBytesMin: number;
  /** How many looks in a row must agree, both ways. */
  readonly looks: number;
  /** How far below its limit a measure must come back, as a share of it, so that work does not stop and start. */
  readonly margin: number;
};

export const resourceLimits: ResourceLimits = {
  cpuUsedMax: 0.8,
  memoryUsedMax: 0.85,
  diskFreeBytesMin: 5e9,
  looks: 3,
  margin: 0.1,
};

type Measure = keyof Resources;

/** What the last looks have shown. */
export type Judgement = {
  /** Which measures are beyond their limits, seen often enough to be sure; empty while there is room. */
  readonly short: readonly Measure[];
  readonly over: { readonly [Name in Measure]: number };
  readonly clear: number;
};

export const roomEnough: Judgement = {
  short: [],
  over: { cpuUsed: 0, memoryUsed: 0, diskFreeBytes: 0 },
  clear: 0,
};

const measures: readonly Measure[] = ['cpuUsed', 'memoryUsed', 'diskFreeBytes'];

/** Takes one more look into account. */
export function judge(last: Judgement, seen: Resources, limits: ResourceLimits): Judgement {
  const count = (name: Measure): number => (isOver(name, seen, limits) ? last.over[name] + 1 : 0);
  const over = {
    cpuUsed: count('cpuUsed'),
    memoryUsed: count('memoryUsed'),
    diskFreeBytes: count('diskFreeBytes'),
  };
  const found = measures.filter((name) => over[name] >= limits.looks || last.short.includes(name));
  const isClear = found.length > 0 && found.every((name) => isWellBelow(name, seen, limits));
  const clear = isClear ? last.clear + 1 : 0;
  return clear >= limits.looks ? { ...roomEnough, over } : { short: found, over, clear };
}

function isOver(name: Measure, seen: Resources, limits: ResourceLimits): boolean {
  return isBeyond(name, seen[name], limitOf(name, limits));
}

function isWellBelow(name: Measure, seen: Resources, limits: ResourceLimits): boolean {
  const limit = limitOf(name, limits);
  const value = seen[name];
  const easier = name === 'diskFreeBytes' ? limit * (1 + limits.margin) : limit * (1 - limits.margin);
  return Number.isFinite(value) && !isBeyond(name, value, easier);
}

function isBeyond(name: Measure, value: number, limit: number): boolean {
  return name === 'diskFreeBytes' ? value < limit : value > limit;
}

function limitOf(name: Measure, limits: ResourceLimits): number {
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

/** What is short, in words that stay the same while it is. */
export function shortage({ short }: Judgement, limits: ResourceLimits): string {
  const words: { readonly [Name in Measure]: string } = {
    cpuUsed: `the processor is more than ${percent(limits.cpuUsedMax)} busy`,
    memoryUsed: `more than ${percent(limits.memoryUsedMax)} of the memory is in use`,
    diskFreeBytes: `less than ${(limits.diskFreeBytesMin / 1e9).toFixed(1)} GB are free on the disk`,
  };
  return short.map((name) => words[name]).join(', and ');
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
