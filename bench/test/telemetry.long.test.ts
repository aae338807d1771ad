import { describe, expect, it } from 'vitest';
import { runQuickBench } from './run-quick-bench.ts';

describe('bench/telemetry.ts', () => {
  it('prints the cost of a step with each kind of observer, and the data sent', async () => {
    const measured = await runQuickBench<{
      rows: { name: string; microseconds: { median: number }; byNobody: { median: number } }[];
      bytesSent: number;
    }>(new URL('../telemetry.ts', import.meta.url));
    expect(measured.rows.map(({ name }) => name)).toEqual([
      'no observer',
      'all off',
      'logs',
      'metrics',
      'traces',
      'all on',
    ]);
    expect(measured.rows[0]?.byNobody.median).toBe(1);
    expect(measured.rows.every(({ microseconds }) => microseconds.median > 0)).toBe(true);
    // Traces of three rounds of sixty steps, with two spans per step.
    expect(measured.bytesSent).toBeGreaterThan(3 * 60 * 2 * 300);
  });
});
