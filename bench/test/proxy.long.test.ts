import { describe, expect, it } from 'vitest';
import { runQuickBench } from './run-quick-bench.ts';

describe('bench/proxy.ts', () => {
  it('prints the latency that the proxy adds to the first byte for each length, and the targets', async () => {
    const { milliseconds, aims } = await runQuickBench<{
      readonly milliseconds: readonly {
        readonly rounds: number;
        readonly direct: { readonly median: number };
        readonly proxied: { readonly median: number };
        readonly added: { readonly median: number };
      }[];
      readonly aims: readonly { readonly measured: number }[];
    }>(new URL('../proxy.ts', import.meta.url));
    expect(milliseconds.map(({ rounds }) => rounds)).toEqual([0, 20, 200]);
    for (const { direct, proxied } of milliseconds) {
      expect(direct.median).toBeGreaterThan(0);
      expect(proxied.median).toBeGreaterThan(0);
    }
    expect(aims.map(({ measured }) => measured)).toEqual(milliseconds.map(({ added }) => added.median));
  });
});
