import { describe, expect, it } from 'vitest';
import { runQuickBench } from './run-quick-bench.ts';

describe('bench/audit.ts', () => {
  it('prints the speed of audits, the heap after each, and the target', async () => {
    const measured = await runQuickBench<{
      readonly megabytes: number;
      readonly firstAudit: number;
      readonly laterAudits: { readonly median: number };
      readonly heapMegabytes: readonly number[];
      readonly aims: readonly { readonly atLeast: number; readonly measured: number }[];
    }>(new URL('../audit.ts', import.meta.url));
    expect(measured.megabytes).toBeGreaterThanOrEqual(2);
    expect(measured.firstAudit).toBeGreaterThan(0);
    expect(measured.heapMegabytes).toHaveLength(2);
    expect(measured.aims).toMatchObject([{ atLeast: 60, measured: measured.laterAudits.median }]);
  });
});
