import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Done, Opened } from './contender.ts';
import type { ContenderKey } from './contenders.ts';

/** One run of one contender, and what opening what it kept took afterwards. */
export type Sample = Done & {
  readonly name: string;
  readonly version: string | null;
  readonly windows: readonly number[];
  /** All that is in the folder once the file is closed. */
  readonly bytes: number;
  readonly opened: Opened;
  /** The same without what spares it from beginning at the first event; null where nothing does. */
  readonly openedFromStart: Opened | null;
};

/** Each part in a process of its own and each run in a folder of its own, which is gone afterwards. */
export function sample(key: ContenderKey, steps: number): Sample {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-'));
  const child = (task: string): unknown => inChild([task, key, String(steps), folder]);
  try {
    const run = child('run') as Omit<Sample, 'bytes' | 'opened' | 'openedFromStart'>;
    const bytes = bytesIn(folder);
    const opened = child('open') as Opened;
    const openedFromStart = opened.replayed === null ? null : (child('open-without-snapshot') as Opened);
    return { ...run, bytes, opened, openedFromStart };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const childFile = fileURLToPath(new URL('child.ts', import.meta.url));

function inChild(args: readonly string[]): unknown {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [childFile, ...args], {
    encoding: 'utf8',
  });
  if (status === 0) return JSON.parse(stdout);
  throw new Error(
    `The process for ${args.slice(0, 3).join(' ')} ended with exit code ${status}: ${error?.message ?? stderr}`,
  );
}

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
