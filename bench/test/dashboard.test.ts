import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../packages/dashboard/test/browser/started.ts';
import { quick } from './quick.ts';

describe.skipIf(noBrowser !== null)('node bench/dashboard.ts', () => {
  it('opens a long session and weighs the pages', { timeout: 120_000 }, async () => {
    const { first, again, files } = await quick<{
      readonly first: { readonly median: number };
      readonly again: { readonly median: number };
      readonly files: readonly { readonly packed: number }[];
    }>(new URL('../dashboard.ts', import.meta.url));
    expect(first.median).toBeGreaterThan(0);
    expect(again.median).toBeGreaterThan(0);
    expect(files.every(({ packed }) => packed > 0)).toBe(true);
  });
});
