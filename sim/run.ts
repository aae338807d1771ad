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

const help = `Runs the agent in a simulated world with injected faults and checks its invariants.

  npm run sim -- [--seeds N] [--from S] [--jobs J] [--json]   Run many seeds; exit code 1 if one fails
  npm run sim -- --seed S                                      Run one seed; if it fails, show a minimized run
  npm run sim -- --bug NAME [--seeds N]                        Run with a planted bug
  npm run sim -- --bugs [--seeds N]                            List the invariant and seed that detect each planted bug
  npm run sim -- --double-crash                                Crash before every step, and again before every later step
  npm run sim -- --workers N [any of the above but the last]   Simulate up to N workers on a queue

  --seeds N   number of seeds (default: 1000)
  --from S    first seed (default: 1)
  --jobs J    number of threads
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
  const command: SimCommand = {
    seeds: parseSeedNumber('seeds', values.seeds),
    from: parseSeedNumber('from', values.from),
    jobs: parseSeedNumber('jobs', values.jobs),
    bug: values.bug ?? null,
    workers: values.workers === undefined ? null : parseWorkers(values.workers),
    json: values.json,
  };
  if (command.workers === null) getBuggyAssembly(command.bug);
  else getBuggyWorkerParts(command.bug);
  if (values.seed !== undefined) return runOneSeed(parseSeedNumber('seed', values.seed), command);
  const pool = createSimThreadPool(command.jobs);
  try {
    if (values.bugs) return await runAllBugs(pool, command);
    return await (values['double-crash'] ? runAllDoubleCrashes(pool, command) : runManySeeds(pool, command));
  } finally {
    await pool.close();
  }
}

function parseSeedNumber(name: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new Error(`--${name} must be a whole number, got ${JSON.stringify(text)}.`);
}

function parseWorkers(text: string): number {
  const workers = parseSeedNumber('workers', text);
  if (workers >= 1 && workers <= 16) return workers;
  throw new Error(`--workers must be from 1 to 16, got ${workers}.`);
}

async function runManySeeds(pool: SimThreadPool, command: SimCommand): Promise<number> {
  const started = performance.now();
  let lastShown = started;
  const totals = await runSeeds(pool, {
    ...command,
    untilFailure: command.bug !== null,
    onProgress(now) {
      if (command.json || performance.now() - lastShown < 5_000) return;
      lastShown = performance.now();
      console.error(formatTotals(now, lastShown - started));
    },
  });
  const tookMs = performance.now() - started;
  if (command.json) console.log(JSON.stringify({ ...totals, tookMs }, null, 2));
  else console.log(formatTotals(totals, tookMs));
  const [first] = totals.failures;
  if (first === undefined) return 0;
  if (!command.json) {
    for (const { seed, violation } of totals.failures.slice(0, 20))
      console.log(`seed ${seed}: invariant ${violation?.invariant}: ${violation?.what}`);
    // The run that failed earliest is the easiest to minimize.
    const earliest = totals.failures.reduce(
      (best, each) => (getFailedStep(each) < getFailedStep(best) ? each : best),
      first,
    );
    await runOneSeed(earliest.seed, command);
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
    `${failures.length} failed; ${perMinute} seeds per minute`
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
        : `seed ${seed} passes: ${events} events, ${steps} steps, ${digest}`,
    );
    return 0;
  }
  const shrunk = await shrinkRun({
    plan,
    script: run.script,
    run: (smaller, choices) => runPlan(smaller, { bug, workers }, choices),
  });
  const failing = shrunk ?? { plan, script: run.script, violation: run.violation, tries: 1 };
  if (json) {
    console.log(JSON.stringify({ seed, bug, ...failing }, null, 2));
    return 1;
  }
  const { violation, tries } = failing;
  const choices = Object.entries(failing.script).map(([name, value]) => `${name} = ${value}`);
  console.log(
    [
      ``,
      `Seed ${seed} breaks invariant ${violation.invariant}: ${simInvariants[violation.invariant]}.`,
      `  ${violation.what}`,
      `Minimized run (after ${tries} tries), with ${choices.length} non-default choices:`,
      ...describePlan(failing.plan).map((line) => `  ${line}`),
      ...choices.map((choice) => `  ${choice}`),
      `Rerun it with: npm run sim -- --seed ${seed}${formatRerunFlags({ bug, workers })}`,
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
      const failing =
        by === null ? `NOT FOUND in ${seeds} seeds` : `invariant ${by.invariant}, seed ${by.seed}`;
      console.log(`${name.padEnd(28)} ${failing.padEnd(26)} ${what}`);
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
    if (report.missed.length > 0) console.log(`crash points not hit: ${report.missed.join(', ')}`);
  }
  return report.failures.length + report.missed.length === 0 ? 0 : 1;
}

/** Prints usage errors as a single line. */
function printErrorLine(error: unknown): number {
  console.error((error instanceof Error ? error.message : String(error)).split('\n', 1)[0]);
  return 2;
}

if (import.meta.main) process.exitCode = await main().catch(printErrorLine);
