import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const bench = fileURLToPath(new URL('../startup.ts', import.meta.url));
const run = promisify(execFile);

describe('bench/startup.ts', () => {
  it('prints how long pawl takes to say its version and its help, and what was aimed at', async () => {
    const { stdout } = await run(process.execPath, [bench, '--quick', '--json']);
    const { milliseconds, aims } = JSON.parse(stdout) as {
      readonly milliseconds: readonly { readonly name: string; readonly median: number }[];
      readonly aims: readonly { readonly atMost: number; readonly measured: number }[];
    };
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
