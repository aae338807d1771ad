import { availableParallelism } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { catchBug, runSeeds } from '../src/campaign.ts';
import { createSimThreadPool } from '../src/pool.ts';
import { workerBugs, getBuggyWorkerParts } from '../src/workers/worker-bugs.ts';
import { workersFaultRates } from '../src/workers/workers-plan.ts';
import { isSoak, soakTimeoutMs } from './limits.ts';

const jobs = Math.min(4, availableParallelism());
const seeds = isSoak ? 30_000 : 200;
const workers = 4;

describe('workers in a simulated world', () => {
  const pool = createSimThreadPool(jobs);
  afterAll(() => pool.close());

  it(
    'keep every invariant under faults of workers and queue',
    async () => {
      const totals = await runSeeds(pool, { from: 1, seeds, bug: null, workers, jobs, untilFailure: false });
      const failures = totals.failures.map(({ seed, violation }) => ({ seed, ...violation }));
      expect(failures).toEqual([]);
      expect(totals.repeated).toBe(seeds / 100);
      // Guards against a world in which almost nothing happens.
      expect(totals.events).toBeGreaterThan(20 * seeds);
      expect(Object.keys(totals.faultCounts).toSorted()).toEqual(Object.keys(workersFaultRates).toSorted());
      for (const count of Object.values(totals.workers)) expect(count).toBeGreaterThan(0);
      // Late starts, which fencing cannot prevent, occur and are counted.
      expect(totals.lateStarts).toBeGreaterThan(0);
      const { stops = 0, crashes = 0, swept = 0, parked = 0, resumeAttempts = 0 } = totals.workers;
      const figures = `${seeds} seeds: ${resumeAttempts} resume attempts, ${crashes} crashes, ${stops} stops, ${swept} swept, ${parked} parked`;
      process.stdout.write(`${figures}, ${totals.lateStarts} late starts, ${failures.length} failed\n`);
    },
    soakTimeoutMs,
  );

  it.concurrent.each(workerBugs)(
    'fail with the planted bug $name ($what)',
    { timeout: soakTimeoutMs },
    async ({ name }) => {
      expect(await catchBug(pool, { bug: name, workers }, 1_000)).not.toBeNull();
    },
  );

  it('reject an unknown bug name', () => {
    expect(() => getBuggyWorkerParts('no-such-bug')).toThrow(/no planted worker bug named "no-such-bug"/);
  });
});
