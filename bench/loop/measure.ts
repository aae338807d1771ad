import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readBenchMachine, type BenchMachine } from '../lib/environment.ts';
import { rotateItems } from '../lib/interleave.ts';
import { computeMedian, summarizeSamples, type SampleSummary } from '../lib/statistics.ts';
import type { LoopContenderKey } from './contenders.ts';
import type { StepTimes } from './step-ms.ts';

/** The contenders, steps and rounds; very slow contenders run only once. */
export type LoopPlan = {
  readonly steps: number;
  readonly rounds: number;
  readonly contenders: readonly LoopContenderKey[];
  readonly once: readonly LoopContenderKey[];
};

export type LoopRow = {
  readonly key: LoopContenderKey;
  readonly name: string;
  readonly version: string | null;
  readonly rounds: number;
  /** Ratio to Pawl's time in the same round. */
  readonly times: SampleSummary;
  readonly seconds: SampleSummary;
  readonly processorMsPerStep: number;
  readonly stepMs: StepTimes;
  readonly peakBytes: number;
};

export type LoopResult = {
  readonly environment: BenchMachine;
  readonly steps: number;
  readonly rows: readonly LoopRow[];
};

type LoopSample = Pick<LoopRow, 'name' | 'version' | 'stepMs' | 'peakBytes'> & {
  readonly ms: number;
  readonly processorMs: number;
};

export function measureLoop({ steps, rounds, contenders, once }: LoopPlan): LoopResult {
  // Read the machine's load before the benchmark adds to it.
  const on = readBenchMachine();
  const samples = new Map<LoopContenderKey, LoopSample[]>(contenders.map((key) => [key, []]));
  for (let round = 0; round < rounds; round += 1) {
    const selected = contenders.filter((key) => round === 0 || !once.includes(key));
    for (const key of rotateItems(selected, round)) samples.get(key)?.push(sampleLoop(key, steps));
  }
  const pawl = samples.get('pawl') ?? [];
  return {
    environment: on,
    steps,
    rows: contenders.map((key) => toLoopRow(key, steps, samples.get(key) ?? [], pawl)),
  };
}

function toLoopRow(
  key: LoopContenderKey,
  steps: number,
  samples: readonly LoopSample[],
  pawl: readonly LoopSample[],
): LoopRow {
  const [first] = samples;
  if (first === undefined) throw new Error(`Expected at least one round, found none for ${key}`);
  const of = (valueOf: (each: LoopSample) => number): number => computeMedian(samples.map(valueOf));
  return {
    key,
    name: first.name,
    version: first.version,
    rounds: samples.length,
    times: summarizeSamples(samples.map(({ ms }, round) => ms / (pawl[round]?.ms ?? Number.NaN))),
    seconds: summarizeSamples(samples.map(({ ms }) => ms / 1_000)),
    processorMsPerStep: of(({ processorMs }) => processorMs) / steps,
    stepMs: {
      early: of(({ stepMs }) => stepMs.early),
      middle: of(({ stepMs }) => stepMs.middle),
      late: of(({ stepMs }) => stepMs.late),
    },
    peakBytes: of(({ peakBytes }) => peakBytes),
  };
}

const loopChildFile = fileURLToPath(new URL('child.ts', import.meta.url));

/** Runs in its own process, so that no contender benefits from JIT compilation or memory of another. */
function sampleLoop(key: LoopContenderKey, steps: number): LoopSample {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [loopChildFile, key, String(steps)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${key} ended with exit code ${status}: ${error?.message ?? stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as LoopSample;
}
