import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const bench = fileURLToPath(new URL('../paging.ts', import.meta.url));

describe('bench/paging.ts', () => {
  it('prints what adding and paging cost in a small memory and in a large one', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [bench, '--quick', '--json']);
    const measured = JSON.parse(stdout) as { readonly nanoseconds: readonly { readonly name: string }[] };
    expect(measured.nanoseconds.map(({ name }) => name)).toEqual([
      'add to 10 entries',
      'add to 10000 entries',
      'page 1000 entries',
      'page 10000 entries',
    ]);
  });
});
