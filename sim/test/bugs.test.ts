import { availableParallelism } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { bugNamed, bugs } from '../src/bugs/bugs.ts';
import { catchBug } from '../src/campaign.ts';
import { planFor } from '../src/plan.ts';
import { openPool } from '../src/pool.ts';
import { shrink } from '../src/shrink.ts';
import { simulate } from '../src/simulate.ts';
import { timeoutMs } from './limits.ts';

const seedsMax = 1_000;

describe('a planted bug', () => {
  const pool = openPool(Math.min(4, availableParallelism()));
  afterAll(() => pool.close());

  it.concurrent.each(bugs)('is found: $name ($what)', { timeout: timeoutMs }, async ({ name }) => {
    const caught = await catchBug(pool, { bug: name, workers: null }, seedsMax);
    expect(caught).not.toBeNull();
  });

  it('is one of at least fifteen', () => {
    expect(new Set(bugs.map(({ name }) => name)).size).toBeGreaterThanOrEqual(15);
  });

  it('that nobody knows is an error that names those there are', () => {
    expect(() => bugNamed('no-such-bug')).toThrow(
      /no planted bug named "no-such-bug"\. There are: no-fence, /,
    );
  });
});

describe('a run that fails', () => {
  it(
    'is made smaller and still fails in the same way',
    async () => {
      const assembly = bugNamed('rerun-pending');
      const { seed, script, violation } = await firstFailure('rerun-pending');
      const plan = planFor(seed);
      const shrunk = await shrink({
        plan,
        script,
        run: (smaller, choices) => simulate(smaller, { choices, assembly }),
      });
      expect(shrunk?.violation.invariant).toBe(violation.invariant);
      const [small, large] = [shrunk?.script ?? {}, script].map((each) => Object.keys(each).length);
      expect(small).toBeLessThanOrEqual(30);
      expect(small).toBeLessThan(large ?? 0);
      expect(sizeOf(shrunk?.plan)).toBeLessThan(sizeOf(plan));
    },
    timeoutMs,
  );

  it('cannot be made smaller if it does not fail', async () => {
    const plan = planFor(1);
    const { script } = await simulate(plan);
    expect(await shrink({ plan, script, run: (same, choices) => simulate(same, { choices }) })).toBeNull();
  });
});

function sizeOf(plan: unknown): number {
  return JSON.stringify(plan).length;
}

async function firstFailure(bug: string) {
  const assembly = bugNamed(bug);
  for (let seed = 1; seed <= seedsMax; seed += 1) {
    const { violation, script } = await simulate(planFor(seed), { assembly });
    if (violation !== null) return { seed, violation, script };
  }
  throw new Error(`${bug} is not found`);
}
