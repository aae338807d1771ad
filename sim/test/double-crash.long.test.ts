import { availableParallelism } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { runDoubleCrashes } from '../src/campaign.ts';
import { getBuggyAssembly } from '../src/bugs/bugs.ts';
import { runWithCrashes, runDoubleCrash, countCrashFreeSteps } from '../src/double-crash.ts';
import { createSimThreadPool } from '../src/pool.ts';
import { soakTimeoutMs } from './limits.ts';

describe('a crash before every step, and a second one before every later step', () => {
  const pool = createSimThreadPool(Math.min(4, availableParallelism()));
  afterAll(() => pool.close());

  it(
    'breaks no invariant, and hits every crash point',
    async () => {
      const { runs, failures, missed } = await runDoubleCrashes(pool);
      expect(failures).toEqual([]);
      expect(missed).toEqual([]);
      expect(runs).toBeGreaterThan(1_500);
    },
    soakTimeoutMs,
  );

  it(
    'detects a call that runs twice',
    async () => {
      const assembly = getBuggyAssembly('rerun-pending');
      const steps = await countCrashFreeSteps();
      const invariants = new Set<number>();
      for (let first = 0; first < steps; first += 1) {
        const { violation } = await runWithCrashes([first], assembly);
        if (violation !== null) invariants.add(violation.invariant);
      }
      expect(invariants).toContain(1);
    },
    soakTimeoutMs,
  );

  it('detects a result that is removed too early', { timeout: soakTimeoutMs }, async () => {
    const assembly = getBuggyAssembly('spool-forgets-all');
    const steps = await countCrashFreeSteps();
    const found: number[] = [];
    for (let first = 0; first < steps && found.length === 0; first += 1) {
      const { failures } = await runDoubleCrash(first, assembly);
      for (const { violation } of failures) found.push(violation.invariant);
    }
    expect(found).toContain(3);
  });
});
