import { describe, expect, it } from 'vitest';
import { runQuickBench } from './run-quick-bench.ts';

describe('bench/governor.ts', () => {
  it('prints the cost of early and late calls and the size of the state', async () => {
    const measured = await runQuickBench<{
      nanoseconds: unknown[];
      bytesKept: { early: number; late: number };
    }>(new URL('../governor.ts', import.meta.url));
    expect(measured.nanoseconds).toHaveLength(3);
    // Bounded: fifty times the steps add at most one window of state.
    expect(measured.bytesKept.late).toBeLessThan(2 * measured.bytesKept.early);
  });
});
