import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { environment, type Environment } from '../lib/environment.ts';
import { rotated } from '../lib/interleave.ts';
import { median, pairedRatios, summarise, type Summary } from '../lib/statistics.ts';
import type { Done } from './contender.ts';
import type { ContenderKey } from './contenders.ts';
import { sample, type Sample } from './sample.ts';
import { earlyAndLate, slowest } from './windows.ts';

/** Sessions of one length, and who goes through them, the measure of the others first. */
export type Length = {
  readonly steps: number;
  readonly rounds: number;
  readonly contenders: readonly ContenderKey[];
};

/** One contender's numbers. `times` and `sizes` are by those of the raw append, round by round. */
export type Row = {
  readonly key: ContenderKey;
  readonly name: string;
  readonly version: string | null;
  readonly synchronous: Done['synchronous'];
  readonly times: Summary;
  readonly seconds: Summary;
  readonly stepsPerSecond: number;
  readonly processorMsPerStep: number;
  readonly earlyMs: number;
  readonly lateMs: number;
  readonly lateByEarly: Summary;
  readonly slowestMs: number;
  readonly sizes: Summary;
  readonly bytes: number;
  readonly bytesPerStep: number;
  /** Bytes a step beyond the text of the events; null where there are no events. */
  readonly ownBytesPerStep: number | null;
  readonly openMs: Summary;
  readonly openFromStartMs: Summary | null;
  readonly replayed: number | null;
};

/** How many times what Pawl takes, round by round. */
export type OverPawl = { readonly key: ContenderKey; readonly times: Summary; readonly sizes: Summary };

export type MeasuredLength = Length & {
  readonly rows: readonly Row[];
  readonly overPawl: readonly OverPawl[];
};

export type Measured = {
  readonly environment: Environment;
  /** Whether the folder is in memory, where a commit costs next to nothing and the ratios mean little. */
  readonly inMemory: boolean;
  readonly lengths: readonly MeasuredLength[];
};

export function measure(lengths: readonly Length[]): Measured {
  // How busy the machine is counts from before this makes it so.
  const on = environment();
  return { environment: on, inMemory: isInMemory(tmpdir()), lengths: lengths.map(measureLength) };
}

const tmpfs = 0x01021994;

function isInMemory(folder: string): boolean {
  return statfsSync(folder).type === tmpfs;
}

function measureLength(length: Length): MeasuredLength {
  const { steps, rounds, contenders } = length;
  const samples = new Map<ContenderKey, Sample[]>(contenders.map((key) => [key, []]));
  for (let round = 0; round < rounds; round += 1) {
    // Each round begins with another contender, so that none always comes after the same one.
    for (const key of rotated(contenders, round)) samples.get(key)?.push(sample(key, steps));
  }
  const of = (key: ContenderKey): readonly Sample[] => samples.get(key) ?? [];
  return {
    ...length,
    rows: contenders.map((key) => rowOf(key, steps, of(key), of('raw'))),
    overPawl: contenders.map((key) => ({ key, ...ratios(of(key), of('pawl')) })),
  };
}

function ratios(
  samples: readonly Sample[],
  base: readonly Sample[],
): { readonly times: Summary; readonly sizes: Summary } {
  const by = (valueOf: (each: Sample) => number): Summary =>
    summarise(pairedRatios(samples.map(valueOf), base.map(valueOf)));
  return { times: by(({ ms }) => ms), sizes: by(({ bytes }) => bytes) };
}

function rowOf(key: ContenderKey, steps: number, samples: readonly Sample[], raw: readonly Sample[]): Row {
  const [first] = samples;
  if (first === undefined) throw new Error(`Expected at least one round, found none for ${key}`);
  const ends = samples.map(({ windows }) => earlyAndLate(windows));
  const bytes = median(samples.map((each) => each.bytes));
  const fromStart = samples.flatMap(({ openedFromStart }) => openedFromStart?.ms ?? []);
  const seconds = summarise(samples.map(({ ms }) => ms / 1_000));
  return {
    key,
    name: first.name,
    version: first.version,
    synchronous: first.synchronous,
    ...ratios(samples, raw),
    seconds,
    stepsPerSecond: steps / seconds.median,
    processorMsPerStep: median(samples.map(({ processorMs }) => processorMs)) / steps,
    earlyMs: median(ends.map(({ early }) => early)),
    lateMs: median(ends.map(({ late }) => late)),
    lateByEarly: summarise(ends.map(({ early, late }) => late / early)),
    slowestMs: median(samples.map(({ windows }) => slowest(windows))),
    bytes,
    bytesPerStep: bytes / steps,
    ownBytesPerStep: first.textBytes === null ? null : (bytes - first.textBytes) / steps,
    openMs: summarise(samples.map(({ opened }) => opened.ms)),
    openFromStartMs: fromStart.length === 0 ? null : summarise(fromStart),
    replayed: first.opened.replayed,
  };
}
