import { describe, expect, it } from 'vitest';
import { runQuickBench } from './run-quick-bench.ts';

describe('node bench/dashboard.ts', { tags: ['chromium'] }, () => {
  it('loads a long session and measures the page sizes', async () => {
    const { first, again, files } = await runQuickBench<{
      readonly first: { readonly median: number };
      readonly again: { readonly median: number };
      readonly files: readonly { readonly packed: number }[];
    }>(new URL('../dashboard.ts', import.meta.url));
    expect(first.median).toBeGreaterThan(0);
    expect(again.median).toBeGreaterThan(0);
    expect(files.every(({ packed }) => packed > 0)).toBe(true);
  });
});
