import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { getBuggyAssembly, plantedBugs } from './src/bugs/bugs.ts';
import { catchBug, runDoubleCrashes, runSeeds, type CampaignTotals } from './src/campaign.ts';
import { describePlan } from './src/describe-plan.ts';
import { simInvariants } from './src/oracle/invariants.ts';
import { createSimThreadPool, type SimThreadPool } from './src/pool.ts';
import { createPlanByKind, runPlan, type SimRunKind } from './src/run-seed.ts';
import { shrinkRun } from './src/shrink.ts';
import { workerBugs, getBuggyWorkerParts } from './src/workers/worker-bugs.ts';

const help = `Runs the agent in a simulated world in which things go wrong, and holds it to its promises.

  npm run sim -- [--seeds N] [--from S] [--jobs J] [--json]   many seeds; ends with 1 if one of them fails
  npm run sim -- --seed S                                      one seed; if it fails, the smallest run that fails so
  npm run sim -- --bug NAME [--seeds N]                        the same with a planted bug
  npm run sim -- --bugs [--seeds N]                            every planted bug: by what it is found, and at which seed
  npm run sim -- --double-crash                                a crash before every step, and a second after it
  npm run sim -- --workers N [any of the above but the last]   the world of workers on a queue, at most N of them

  --seeds N   how many, 1000 unless told otherwise
  --from S    the first one, 1 unless told otherwise
  --jobs J    how many threads
  --json      print JSON`;

const options = {
  seeds: { type: 'string', default: '1000' },
  from: { type: 'string', default: '1' },
  jobs: { type: 'string', default: String(availableParallelism()) },
  seed: { type: 'string' },
  bug: { type: 'string' },
  workers: { type: 'string' },
  bugs: { type: 'boolean', default: false },
  'double-crash': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type SimCommand = {
  readonly seeds: number;
  readonly from: number;
  readonly jobs: number;
  readonly bug: string | null;
  readonly workers: number | null;
  readonly json: boolean;
};

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const asked: SimCommand = {
    seeds: parseSeedNumber('seeds', values.seeds),
    from: parseSeedNumber('from', values.from),
    jobs: parseSeedNumber('jobs', values.jobs),
    bug: values.bug ?? null,
    workers: values.workers === undefined ? null : parseWorkers(values.workers),
    json: values.json,
  };
  if (asked.workers === null) getBuggyAssembly(asked.bug);
  else getBuggyWorkerParts(asked.bug);
  if (values.seed !== undefined) return runOneSeed(parseSeedNumber('seed', values.seed), asked);
  const pool = createSimThreadPool(asked.jobs);
  try {
    if (values.bugs) return await runAllBugs(pool, asked);
    return await (values['double-crash'] ? runAllDoubleCrashes(pool, asked) : runManySeeds(pool, asked));
  } finally {
    await pool.close();
  }
}

function parseSeedNumber(name: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new Error(`--${name} is to be a whole number, not ${JSON.stringify(text)}.`);
}

function parseWorkers(text: string): number {
  const workers = parseSeedNumber('workers', text);
  if (workers >= 1 && workers <= 16) return workers;
  throw new Error(`--workers is to be 1 to 16, not ${workers}.`);
}

async function runManySeeds(pool: SimThreadPool, asked: SimCommand): Promise<number> {
  const started = performance.now();
  let shown = started;
  const totals = await runSeeds(pool, {
    ...asked,
    untilFailure: asked.bug !== null,
    onProgress(now) {
      if (asked.json || performance.now() - shown < 5_000) return;
      shown = performance.now();
      console.error(formatTotals(now, shown - started));
    },
  });
  const tookMs = performance.now() - started;
  if (asked.json) console.log(JSON.stringify({ ...totals, tookMs }, null, 2));
  else console.log(formatTotals(totals, tookMs));
  const [first] = totals.failures;
  if (first === undefined) return 0;
  if (!asked.json) {
    for (const { seed, violation } of totals.failures.slice(0, 20))
      console.log(`seed ${seed}: invariant ${violation?.invariant}: ${violation?.what}`);
    // The run that failed soonest has the least to take away.
    const soonest = totals.failures.reduce(
      (best, each) => (getFailedStep(each) < getFailedStep(best) ? each : best),
      first,
    );
    await runOneSeed(soonest.seed, asked);
  }
  return 1;
}

function getFailedStep({ violation }: CampaignTotals['failures'][number]): number {
  return violation?.step ?? Infinity;
}

function formatTotals(
  { seeds, events, simulatedMs, repeated, lateStarts, workers, failures }: CampaignTotals,
  tookMs: number,
): string {
  const hours = (simulatedMs / 3_600_000).toFixed(1);
  const perMinute = Math.round((seeds / tookMs) * 60_000);
  return (
    `${seeds} seeds, ${events} events, ${hours} simulated hours, ${repeated} run twice, ${lateStarts} late starts, ` +
    Object.entries(workers)
      .map(([name, count]) => `${count} ${name}, `)
      .join('') +
    `${failures.length} failed; ${perMinute} seeds a minute`
  );
}

/** Runs one seed and, if it fails, shows the smallest run that fails in the same way. */
async function runOneSeed(seed: number, { bug, workers, json }: SimCommand): Promise<number> {
  const plan = createPlanByKind(seed, { bug, workers });
  const run = await runPlan(plan, { bug, workers });
  if (run.violation === null) {
    const { digest, events, steps } = run;
    console.log(
      json
        ? JSON.stringify({ seed, digest, events, steps })
        : `seed ${seed} holds: ${events} events, ${steps} steps, ${digest}`,
    );
    return 0;
  }
  const shrunk = await shrinkRun({
    plan,
    script: run.script,
    run: (smaller, choices) => runPlan(smaller, { bug, workers }, choices),
  });
  const found = shrunk ?? { plan, script: run.script, violation: run.violation, tries: 1 };
  if (json) {
    console.log(JSON.stringify({ seed, bug, ...found }, null, 2));
    return 1;
  }
  const { violation, tries } = found;
  const choices = Object.entries(found.script).map(([name, value]) => `${name} = ${value}`);
  console.log(
    [
      ``,
      `Seed ${seed} breaks invariant ${violation.invariant}: ${simInvariants[violation.invariant]}.`,
      `  ${violation.what}`,
      `The smallest run that does (found in ${tries} tries), with ${choices.length} choices that are not the plain ones:`,
      ...describePlan(found.plan).map((line) => `  ${line}`),
      ...choices.map((choice) => `  ${choice}`),
      `To run it again: npm run sim -- --seed ${seed}${formatRerunFlags({ bug, workers })}`,
    ].join('\n'),
  );
  return 1;
}

function formatRerunFlags({ bug, workers }: SimRunKind): string {
  return `${workers === null ? '' : ` --workers ${workers}`}${bug === null ? '' : ` --bug ${bug}`}`;
}

async function runAllBugs(pool: SimThreadPool, { seeds, workers, json }: SimCommand): Promise<number> {
  const caught = await Promise.all(
    (workers === null ? plantedBugs : workerBugs).map(async ({ name, what }) => ({
      name,
      what,
      caught: await catchBug(pool, { bug: name, workers }, seeds),
    })),
  );
  if (json) console.log(JSON.stringify(caught, null, 2));
  else
    for (const { name, what, caught: by } of caught) {
      const found =
        by === null ? `NOT FOUND in ${seeds} seeds` : `invariant ${by.invariant}, seed ${by.seed}`;
      console.log(`${name.padEnd(28)} ${found.padEnd(26)} ${what}`);
    }
  return caught.every((each) => each.caught !== null) ? 0 : 1;
}

async function runAllDoubleCrashes(pool: SimThreadPool, { json }: SimCommand): Promise<number> {
  const started = performance.now();
  const report = await runDoubleCrashes(pool);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  if (json) console.log(JSON.stringify(report, null, 2));
  else {
    console.log(`${report.runs} runs in ${seconds} s, ${report.failures.length} failed`);
    for (const { crashes, violation } of report.failures.slice(0, 20))
      console.log(
        `crashes before ${crashes.join(' and ')}: invariant ${violation.invariant}: ${violation.what}`,
      );
    if (report.missed.length > 0) console.log(`never crashed at: ${report.missed.join(', ')}`);
  }
  return report.failures.length + report.missed.length === 0 ? 0 : 1;
}

/** Whatever is wrong with how it was called is one line. */
function printErrorLine(error: unknown): number {
  console.error((error instanceof Error ? error.message : String(error)).split('\n', 1)[0]);
  return 2;
}

if (import.meta.main) process.exitCode = await main().catch(printErrorLine);
