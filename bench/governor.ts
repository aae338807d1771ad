import {
  type DetectorState,
  observeCall,
  initialDetectorState,
  runDetector,
  type CallObservation,
} from '@pawl/governor';
import { pawlRules } from '@pawl/governor/rules';
import { createUpperAim, formatAim } from './lib/aim.ts';
import { readBenchMachine } from './lib/environment.ts';
import { interleaveTasks, type TimedTask } from './lib/interleave.ts';
import { formatMicroTable } from './lib/micro-table.ts';
import { readBenchOptions } from './lib/options.ts';
import { computePairedRatios, summarizeSamples } from './lib/statistics.ts';

const help = `Usage: node bench/governor.ts [--quick] [--json]

Times the governor per tool call, early and late in a run, and measures the size of its state.

  --quick   short run, for testing only
  --json    print the results as JSON
  --help    show this help`;

const callMicrosecondsMax = 25;

/** Tool output of this benchmark, about as long as a page of a file. */
const benchToolOutput = 'A line of text with a number 12 and a path src/core/step.ts in it.\n'.repeat(30);

function createObservation(seq: number): CallObservation {
  const args = { path: `src/file-${seq % 900}.ts`, from: seq % 40 };
  return observeCall({
    seq,
    tool: 'read',
    args,
    ok: seq % 7 !== 0,
    output: `${benchToolOutput}${seq % 1_000}`,
  });
}

function buildDetectorState(steps: number): DetectorState {
  let state = initialDetectorState;
  for (let seq = 0; seq < steps; seq += 1)
    state = runDetector(state, createObservation(seq), pawlRules).state;
  return state;
}

/** Observes and evaluates call after call, starting from a run of the given length. */
function createJudgingTask(name: string, state: DetectorState, from: number): TimedTask {
  let current = state;
  let seq = from;
  return {
    name,
    run(times) {
      for (let time = 0; time < times; time += 1) {
        current = runDetector(current, createObservation(seq), pawlRules).state;
        seq += 1;
      }
    },
  };
}

const options = readBenchOptions(help);
if (options !== null) {
  const early = buildDetectorState(100);
  const late = buildDetectorState(options.quick ? 5_000 : 100_000);
  const plan = options.quick
    ? { rounds: 3, warmUpRounds: 1, sliceMs: 20 }
    : { rounds: 15, warmUpRounds: 2, sliceMs: 150 };
  const [first, last, reading] = interleaveTasks(
    [
      createJudgingTask('observe and judge, from step 100', early, 100),
      createJudgingTask(`observe and judge, from step ${options.quick ? '5,000' : '100,000'}`, late, 100_000),
      {
        name: 'observe alone',
        run: (times) => void Array.from({ length: times }, (_, seq) => createObservation(seq)),
      },
    ],
    plan,
  );
  const timings = [first, last, reading].filter((timing) => timing !== undefined);
  const growth = summarizeSamples(computePairedRatios(last?.samples ?? [], first?.samples ?? []));
  const measured = {
    environment: readBenchMachine(),
    nanoseconds: timings.map(({ name, samples }) => ({ name, ...summarizeSamples(samples) })),
    lateByEarly: growth,
    aims: [
      createUpperAim(
        'microseconds to observe and judge a call with two kilobytes of output',
        callMicrosecondsMax,
        summarizeSamples(last?.samples ?? []).median / 1_000,
      ),
    ],
    bytesKept: { early: JSON.stringify(early).length, late: JSON.stringify(late).length },
  };
  console.log(options.json ? JSON.stringify(measured, null, 2) : formatGovernorReport(measured));
}

type GovernorBenchResult = {
  readonly aims: readonly ReturnType<typeof createUpperAim>[];
  readonly nanoseconds: Parameters<typeof formatMicroTable>[1];
  readonly lateByEarly: { readonly median: number };
  readonly bytesKept: { readonly early: number; readonly late: number };
};

function formatGovernorReport({ nanoseconds, lateByEarly, bytesKept, aims }: GovernorBenchResult): string {
  return [
    formatMicroTable('one tool call', nanoseconds),
    `A late call by an early one: ${lateByEarly.median.toFixed(2)}`,
    `Size of the governor state as JSON: ${bytesKept.early} bytes early, ${bytesKept.late} late`,
    aims.map(formatAim).join('\n'),
  ].join('\n\n');
}
