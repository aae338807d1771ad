import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const bench = fileURLToPath(new URL('../hook.ts', import.meta.url));
const run = promisify(execFile);

describe('bench/hook.ts', () => {
  it('prints how long a hook takes before and after a call, and what was aimed at', async () => {
    const { stdout } = await run(process.execPath, [bench, '--quick', '--json']);
    const { milliseconds, aims } = JSON.parse(stdout) as {
      readonly milliseconds: readonly { readonly name: string; readonly median: number }[];
      readonly aims: readonly { readonly atMost: number; readonly measured: number }[];
    };
    expect(milliseconds.map(({ name }) => name)).toEqual([
      'node, doing nothing',
      'before a call',
      'after a call',
    ]);
    for (const { median } of milliseconds) expect(median).toBeGreaterThan(1);
    expect(aims.map(({ atMost, measured }) => [atMost, measured])).toEqual([
      [100, milliseconds[1]?.median],
      [100, milliseconds[2]?.median],
    ]);
  });
});
