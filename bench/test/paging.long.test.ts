import { describe, expect, it } from 'vitest';
import { runQuickBench } from './run-quick-bench.ts';

describe('bench/paging.ts', () => {
  it('prints the cost of adding and paging in a small and in a large memory', async () => {
    const measured = await runQuickBench<{ readonly nanoseconds: readonly { readonly name: string }[] }>(
      new URL('../paging.ts', import.meta.url),
    );
    expect(measured.nanoseconds.map(({ name }) => name)).toEqual([
      'add to 10 entries',
      'add to 10000 entries',
      'page 1000 entries',
      'page 10000 entries',
    ]);
  });
});
