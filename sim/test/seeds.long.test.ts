import { availableParallelism } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { runSeeds } from '../src/campaign.ts';
import { usualFaultRates } from '../src/fault-injector.ts';
import { createSimThreadPool } from '../src/pool.ts';
import { isSoak, soakTimeoutMs } from './limits.ts';

const jobs = Math.min(4, availableParallelism());
const seeds = isSoak ? 120_000 : 2_500;

describe('the agent in a simulated world', () => {
  const pool = createSimThreadPool(jobs);
  afterAll(() => pool.close());

  it(
    'keeps every invariant under faults',
    async () => {
      const totals = await runSeeds(pool, {
        from: 1,
        seeds,
        bug: null,
        workers: null,
        jobs,
        untilFailure: false,
      });
      const failures = totals.failures.map(({ seed, violation }) => ({ seed, ...violation }));
      expect(failures).toEqual([]);
      expect(totals.seeds).toBe(seeds);
      expect(totals.repeated).toBe(seeds / 100);
      // Guards against a world in which almost nothing happens.
      expect(totals.events).toBeGreaterThan(20 * seeds);
      expect(Object.keys(totals.faultCounts).toSorted()).toEqual(Object.keys(usualFaultRates).toSorted());
    },
    soakTimeoutMs,
  );
});
