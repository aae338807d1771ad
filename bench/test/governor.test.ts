import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const bench = fileURLToPath(new URL('../governor.ts', import.meta.url));

describe('bench/governor.ts', () => {
  it('prints what a call costs early and late, and what is kept', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [bench, '--quick', '--json']);
    const measured = JSON.parse(stdout) as {
      nanoseconds: unknown[];
      bytesKept: { early: number; late: number };
    };
    expect(measured.nanoseconds).toHaveLength(3);
    // Bounded: fifty times the steps, and no more than a window's worth is kept.
    expect(measured.bytesKept.late).toBeLessThan(2 * measured.bytesKept.early);
  });
});
