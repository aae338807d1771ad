import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../packages/dashboard/test/browser/started.ts';

const run = promisify(execFile);
const bench = fileURLToPath(new URL('../dashboard.ts', import.meta.url));

describe.skipIf(noBrowser !== null)('node bench/dashboard.ts', () => {
  it('opens a long session and weighs the pages', { timeout: 120_000 }, async () => {
    const { stdout } = await run(process.execPath, [bench, '--quick', '--json']);
    const { first, again, files } = JSON.parse(stdout) as {
      readonly first: { readonly median: number };
      readonly again: { readonly median: number };
      readonly files: readonly { readonly packed: number }[];
    };
    expect(first.median).toBeGreaterThan(0);
    expect(again.median).toBeGreaterThan(0);
    expect(files.every(({ packed }) => packed > 0)).toBe(true);
  });
});
