import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { readBenchMachine, type BenchMachine } from '../lib/environment.ts';
import { rotateItems } from '../lib/interleave.ts';
import {
  computeMedian,
  computePairedRatios,
  summarizeSamples,
  type SampleSummary,
} from '../lib/statistics.ts';
import type { DurableRunResult } from './contender.ts';
import type { DurableContenderKey } from './contenders.ts';
import { sampleDurable, type DurableSample } from './sample.ts';
import { computeEarlyLate, findSlowestWindow } from './windows.ts';

/** A session length and its contenders, the baseline first. */
export type SessionLength = {
  readonly steps: number;
  readonly rounds: number;
  readonly contenders: readonly DurableContenderKey[];
};

/** Results of one contender. `times` and `sizes` are ratios to the raw append, round by round. */
export type DurableRow = {
  readonly key: DurableContenderKey;
  readonly name: string;
  readonly version: string | null;
  readonly synchronous: DurableRunResult['synchronous'];
  readonly times: SampleSummary;
  readonly seconds: SampleSummary;
  readonly stepsPerSecond: number;
  readonly processorMsPerStep: number;
  readonly earlyMs: number;
  readonly lateMs: number;
  readonly lateByEarly: SampleSummary;
  readonly slowestMs: number;
  readonly sizes: SampleSummary;
  readonly bytes: number;
  readonly bytesPerStep: number;
  /** Bytes per step beyond the text of the events; null if there are no events. */
  readonly ownBytesPerStep: number | null;
  readonly openMs: SampleSummary;
  readonly openFromStartMs: SampleSummary | null;
  readonly replayed: number | null;
};

/** Ratios to Pawl, round by round. */
export type PawlRatio = {
  readonly key: DurableContenderKey;
  readonly times: SampleSummary;
  readonly sizes: SampleSummary;
};

export type MeasuredLength = SessionLength & {
  readonly rows: readonly DurableRow[];
  readonly overPawl: readonly PawlRatio[];
};

export type DurableResult = {
  readonly environment: BenchMachine;
  /** Whether the folder is memory-backed; commits are then almost free and the ratios mean little. */
  readonly inMemory: boolean;
  readonly lengths: readonly MeasuredLength[];
};

export function measureDurable(lengths: readonly SessionLength[]): DurableResult {
  // Read the machine's load before the benchmark adds to it.
  const on = readBenchMachine();
  return { environment: on, inMemory: isMemoryFolder(tmpdir()), lengths: lengths.map(measureSessionLength) };
}

const tmpfsMagic = 0x01021994;

function isMemoryFolder(folder: string): boolean {
  return statfsSync(folder).type === tmpfsMagic;
}

function measureSessionLength(length: SessionLength): MeasuredLength {
  const { steps, rounds, contenders } = length;
  const samples = new Map<DurableContenderKey, DurableSample[]>(contenders.map((key) => [key, []]));
  for (let round = 0; round < rounds; round += 1) {
    // Rotate the order, so that no contender always follows the same one.
    for (const key of rotateItems(contenders, round)) samples.get(key)?.push(sampleDurable(key, steps));
  }
  const of = (key: DurableContenderKey): readonly DurableSample[] => samples.get(key) ?? [];
  return {
    ...length,
    rows: contenders.map((key) => toDurableRow(key, steps, of(key), of('raw'))),
    overPawl: contenders.map((key) => ({ key, ...computeRatios(of(key), of('pawl')) })),
  };
}

function computeRatios(
  samples: readonly DurableSample[],
  base: readonly DurableSample[],
): { readonly times: SampleSummary; readonly sizes: SampleSummary } {
  const by = (valueOf: (each: DurableSample) => number): SampleSummary =>
    summarizeSamples(computePairedRatios(samples.map(valueOf), base.map(valueOf)));
  return { times: by(({ ms }) => ms), sizes: by(({ bytes }) => bytes) };
}

function toDurableRow(
  key: DurableContenderKey,
  steps: number,
  samples: readonly DurableSample[],
  raw: readonly DurableSample[],
): DurableRow {
  const [first] = samples;
  if (first === undefined) throw new Error(`Expected at least one round, found none for ${key}`);
  const ends = samples.map(({ windows }) => computeEarlyLate(windows));
  const bytes = computeMedian(samples.map((each) => each.bytes));
  const fromStart = samples.flatMap(({ openedFromStart }) => openedFromStart?.ms ?? []);
  const seconds = summarizeSamples(samples.map(({ ms }) => ms / 1_000));
  return {
    key,
    name: first.name,
    version: first.version,
    synchronous: first.synchronous,
    ...computeRatios(samples, raw),
    seconds,
    stepsPerSecond: steps / seconds.median,
    processorMsPerStep: computeMedian(samples.map(({ processorMs }) => processorMs)) / steps,
    earlyMs: computeMedian(ends.map(({ early }) => early)),
    lateMs: computeMedian(ends.map(({ late }) => late)),
    lateByEarly: summarizeSamples(ends.map(({ early, late }) => late / early)),
    slowestMs: computeMedian(samples.map(({ windows }) => findSlowestWindow(windows))),
    bytes,
    bytesPerStep: bytes / steps,
    ownBytesPerStep: first.textBytes === null ? null : (bytes - first.textBytes) / steps,
    openMs: summarizeSamples(samples.map(({ opened }) => opened.ms)),
    openFromStartMs: fromStart.length === 0 ? null : summarizeSamples(fromStart),
    replayed: first.opened.replayed,
  };
}
