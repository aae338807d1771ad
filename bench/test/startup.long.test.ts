import { describe, expect, it } from 'vitest';
import { runQuickBench } from './run-quick-bench.ts';

describe('bench/startup.ts', () => {
  it('prints how long pawl takes to print its version and its help, and the targets', async () => {
    const { milliseconds, aims } = await runQuickBench<{
      readonly milliseconds: readonly { readonly name: string; readonly median: number }[];
      readonly aims: readonly { readonly atMost: number; readonly measured: number }[];
    }>(new URL('../startup.ts', import.meta.url));
    expect(milliseconds.map(({ name }) => name)).toEqual([
      'node, doing nothing',
      'pawl --version',
      'pawl --help',
      'pawl run --help',
    ]);
    for (const { median } of milliseconds) expect(median).toBeGreaterThan(1);
    expect(aims.map(({ atMost, measured }) => [atMost, measured])).toEqual([
      [150, milliseconds[1]?.median],
      [250, milliseconds[2]?.median],
    ]);
  });
});
