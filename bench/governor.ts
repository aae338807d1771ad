import { observe, pawlRules, unwatched, watch, type Observation, type Watch } from '@pawl/core';
import { environment } from './lib/environment.ts';
import { interleave, type Task } from './lib/interleave.ts';
import { microTable } from './lib/micro-table.ts';
import { readOptions } from './lib/options.ts';
import { pairedRatios, summarise } from './lib/statistics.ts';

const help = `Usage: node bench/governor.ts [--quick] [--json]

Times what the governor costs for one tool call, early and late in a run, and weighs what it keeps.

  --quick   a short run: enough to see that it works, too short to be quoted
  --json    the same numbers as JSON
  --help    this text`;

/** What a tool says in this bench: about as much as a page of a file. */
const said = 'A line of text with a number 12 and a path src/core/step.ts in it.\n'.repeat(30);

function observation(seq: number): Observation {
  const args = { path: `src/file-${seq % 900}.ts`, from: seq % 40 };
  return observe({ seq, tool: 'read', args, ok: seq % 7 !== 0, said: `${said}${seq % 1_000}` });
}

function watchedFor(steps: number): Watch {
  let state = unwatched;
  for (let seq = 0; seq < steps; seq += 1) state = watch(state, observation(seq), pawlRules).watch;
  return state;
}

/** Observes and judges call after call, going on from a run of that length. */
function judging(name: string, state: Watch, from: number): Task {
  let current = state;
  let seq = from;
  return {
    name,
    run(times) {
      for (let time = 0; time < times; time += 1) {
        current = watch(current, observation(seq), pawlRules).watch;
        seq += 1;
      }
    },
  };
}

const options = readOptions(help);
if (options !== null) {
  const early = watchedFor(100);
  const late = watchedFor(options.quick ? 5_000 : 100_000);
  const plan = options.quick
    ? { rounds: 3, warmUpRounds: 1, sliceMs: 20 }
    : { rounds: 15, warmUpRounds: 2, sliceMs: 150 };
  const [first, last, reading] = interleave(
    [
      judging('observe and judge, from step 100', early, 100),
      judging(`observe and judge, from step ${options.quick ? '5,000' : '100,000'}`, late, 100_000),
      {
        name: 'observe alone',
        run: (times) => void Array.from({ length: times }, (_, seq) => observation(seq)),
      },
    ],
    plan,
  );
  const timings = [first, last, reading].filter((timing) => timing !== undefined);
  const growth = summarise(pairedRatios(last?.samples ?? [], first?.samples ?? []));
  const measured = {
    environment: environment(),
    nanoseconds: timings.map(({ name, samples }) => ({ name, ...summarise(samples) })),
    lateByEarly: growth,
    bytesKept: { early: JSON.stringify(early).length, late: JSON.stringify(late).length },
  };
  console.log(options.json ? JSON.stringify(measured, null, 2) : report(measured));
}

type Measured = {
  readonly nanoseconds: Parameters<typeof microTable>[1];
  readonly lateByEarly: { readonly median: number };
  readonly bytesKept: { readonly early: number; readonly late: number };
};

function report({ nanoseconds, lateByEarly, bytesKept }: Measured): string {
  return [
    microTable('one tool call', nanoseconds),
    `A late call by an early one: ${lateByEarly.median.toFixed(2)}`,
    `What the governor keeps, as JSON: ${bytesKept.early} bytes early, ${bytesKept.late} late`,
  ].join('\n\n');
}
