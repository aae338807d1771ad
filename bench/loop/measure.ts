import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { environment, type Environment } from '../lib/environment.ts';
import { rotated } from '../lib/interleave.ts';
import { median, summarise, type Summary } from '../lib/statistics.ts';
import type { ContenderKey } from './contenders.ts';
import type { StepMs } from './step-ms.ts';

/** Who goes through how many steps, and how often; those that take very long only once. */
export type Plan = {
  readonly steps: number;
  readonly rounds: number;
  readonly contenders: readonly ContenderKey[];
  readonly once: readonly ContenderKey[];
};

export type Row = {
  readonly key: ContenderKey;
  readonly name: string;
  readonly version: string | null;
  readonly rounds: number;
  /** By Pawl's time in the same round. */
  readonly times: Summary;
  readonly seconds: Summary;
  readonly processorMsPerStep: number;
  readonly stepMs: StepMs;
  readonly peakBytes: number;
};

export type Measured = {
  readonly environment: Environment;
  readonly steps: number;
  readonly rows: readonly Row[];
};

type Sample = Pick<Row, 'name' | 'version' | 'stepMs' | 'peakBytes'> & {
  readonly ms: number;
  readonly processorMs: number;
};

export function measure({ steps, rounds, contenders, once }: Plan): Measured {
  // How busy the machine is counts from before this makes it so.
  const on = environment();
  const samples = new Map<ContenderKey, Sample[]>(contenders.map((key) => [key, []]));
  for (let round = 0; round < rounds; round += 1) {
    const taking = contenders.filter((key) => round === 0 || !once.includes(key));
    for (const key of rotated(taking, round)) samples.get(key)?.push(sample(key, steps));
  }
  const pawl = samples.get('pawl') ?? [];
  return {
    environment: on,
    steps,
    rows: contenders.map((key) => rowOf(key, steps, samples.get(key) ?? [], pawl)),
  };
}

function rowOf(key: ContenderKey, steps: number, samples: readonly Sample[], pawl: readonly Sample[]): Row {
  const [first] = samples;
  if (first === undefined) throw new Error(`Expected at least one round, found none for ${key}`);
  const of = (valueOf: (each: Sample) => number): number => median(samples.map(valueOf));
  return {
    key,
    name: first.name,
    version: first.version,
    rounds: samples.length,
    times: summarise(samples.map(({ ms }, round) => ms / (pawl[round]?.ms ?? Number.NaN))),
    seconds: summarise(samples.map(({ ms }) => ms / 1_000)),
    processorMsPerStep: of(({ processorMs }) => processorMs) / steps,
    stepMs: {
      early: of(({ stepMs }) => stepMs.early),
      middle: of(({ stepMs }) => stepMs.middle),
      late: of(({ stepMs }) => stepMs.late),
    },
    peakBytes: of(({ peakBytes }) => peakBytes),
  };
}

const child = fileURLToPath(new URL('child.ts', import.meta.url));

/** In a process of its own, so that none inherits what the engine learnt from another, or its memory. */
function sample(key: ContenderKey, steps: number): Sample {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [child, key, String(steps)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${key} ended with exit code ${status}: ${error?.message ?? stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Sample;
}
