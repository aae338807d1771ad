import { availableParallelism } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { getBuggyAssembly, plantedBugs } from '../src/bugs/bugs.ts';
import { catchBug } from '../src/campaign.ts';
import { createSimPlan } from '../src/plan.ts';
import { createSimThreadPool } from '../src/pool.ts';
import { shrinkRun } from '../src/shrink.ts';
import { runSimulation } from '../src/simulate.ts';
import { soakTimeoutMs } from './limits.ts';

const seedsMax = 1_000;

describe('a planted bug', () => {
  const pool = createSimThreadPool(Math.min(4, availableParallelism()));
  afterAll(() => pool.close());

  it.concurrent.each(plantedBugs)(
    'is detected: $name ($what)',
    { timeout: soakTimeoutMs },
    async ({ name }) => {
      const caught = await catchBug(pool, { bug: name, workers: null }, seedsMax);
      expect(caught).not.toBeNull();
    },
  );

  it('is one of at least fifteen', () => {
    expect(new Set(plantedBugs.map(({ name }) => name)).size).toBeGreaterThanOrEqual(15);
  });

  it('with an unknown name is an error that lists the known ones', () => {
    expect(() => getBuggyAssembly('no-such-bug')).toThrow(
      /no planted bug named "no-such-bug"\. The planted bugs are: no-fence, /,
    );
  });
});

describe('a failing run', () => {
  it(
    'is minimized and still breaks the same invariant',
    async () => {
      const assembly = getBuggyAssembly('rerun-pending');
      const { seed, script, violation } = await findFirstFailure('rerun-pending');
      const plan = createSimPlan(seed);
      const shrunk = await shrinkRun({
        plan,
        script,
        run: (smaller, choices) => runSimulation(smaller, { choices, assembly }),
      });
      expect(shrunk?.violation.invariant).toBe(violation.invariant);
      const [small, large] = [shrunk?.script ?? {}, script].map((each) => Object.keys(each).length);
      expect(small).toBeLessThanOrEqual(30);
      expect(small).toBeLessThan(large ?? 0);
      expect(measurePlan(shrunk?.plan)).toBeLessThan(measurePlan(plan));
    },
    soakTimeoutMs,
  );

  it('cannot be minimized if it does not fail', async () => {
    const plan = createSimPlan(1);
    const { script } = await runSimulation(plan);
    expect(
      await shrinkRun({ plan, script, run: (same, choices) => runSimulation(same, { choices }) }),
    ).toBeNull();
  });
});

function measurePlan(plan: unknown): number {
  return JSON.stringify(plan).length;
}

async function findFirstFailure(bug: string) {
  const assembly = getBuggyAssembly(bug);
  for (let seed = 1; seed <= seedsMax; seed += 1) {
    const { violation, script } = await runSimulation(createSimPlan(seed), { assembly });
    if (violation !== null) return { seed, violation, script };
  }
  throw new Error(`${bug} is not detected`);
}
