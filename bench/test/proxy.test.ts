import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const bench = fileURLToPath(new URL('../proxy.ts', import.meta.url));
const run = promisify(execFile);

describe('bench/proxy.ts', () => {
  it('prints what the proxy adds to the first byte for each length, and what was aimed at', async () => {
    const { stdout } = await run(process.execPath, [bench, '--quick', '--json']);
    const { milliseconds, aims } = JSON.parse(stdout) as {
      readonly milliseconds: readonly {
        readonly rounds: number;
        readonly direct: { readonly median: number };
        readonly proxied: { readonly median: number };
        readonly added: { readonly median: number };
      }[];
      readonly aims: readonly { readonly measured: number }[];
    };
    expect(milliseconds.map(({ rounds }) => rounds)).toEqual([0, 20, 200]);
    for (const { direct, proxied } of milliseconds) {
      expect(direct.median).toBeGreaterThan(0);
      expect(proxied.median).toBeGreaterThan(0);
    }
    expect(aims.map(({ measured }) => measured)).toEqual(milliseconds.map(({ added }) => added.median));
  });
});
