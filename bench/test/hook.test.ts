import { describe, expect, it } from 'vitest';
import { runQuickBench } from './run-quick-bench.ts';

describe('bench/hook.ts', () => {
  it('prints the duration of hooks before and after a call, and the targets', async () => {
    const { milliseconds, aims } = await runQuickBench<{
      readonly milliseconds: readonly {
        readonly name: string;
        readonly median: number;
        readonly byNode: { readonly median: number };
      }[];
      readonly aims: readonly { readonly atMost: number; readonly measured: number }[];
    }>(new URL('../hook.ts', import.meta.url));
    expect(milliseconds.map(({ name }) => name)).toEqual([
      'node, doing nothing',
      'before a call',
      'after a call',
    ]);
    for (const { median } of milliseconds) expect(median).toBeGreaterThan(1);
    expect(aims.map(({ atMost, measured }) => [atMost, measured])).toEqual([
      [1.6, milliseconds[1]?.byNode.median],
      [1.6, milliseconds[2]?.byNode.median],
    ]);
  });
});
