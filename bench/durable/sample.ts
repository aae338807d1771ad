import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DurableRunResult, OpenResult } from './contender.ts';
import type { DurableContenderKey } from './contenders.ts';

/** One run of one contender, and the time to open its persisted state. */
export type DurableSample = DurableRunResult & {
  readonly name: string;
  readonly version: string | null;
  readonly windows: readonly number[];
  /** Total size of the folder once the file is closed. */
  readonly bytes: number;
  readonly opened: OpenResult;
  /** The same without snapshots; null if the contender has none. */
  readonly openedFromStart: OpenResult | null;
};

/** Runs each part in its own process and each run in its own temporary folder. */
export function sampleDurable(key: DurableContenderKey, steps: number): DurableSample {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-'));
  const child = (task: string): unknown => runChildProcess([task, key, String(steps), folder]);
  try {
    const run = child('run') as Omit<DurableSample, 'bytes' | 'opened' | 'openedFromStart'>;
    const bytes = measureFolderBytes(folder);
    const opened = child('open') as OpenResult;
    const openedFromStart = opened.replayed === null ? null : (child('open-without-snapshot') as OpenResult);
    return { ...run, bytes, opened, openedFromStart };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const childFile = fileURLToPath(new URL('child.ts', import.meta.url));

function runChildProcess(args: readonly string[]): unknown {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [childFile, ...args], {
    encoding: 'utf8',
  });
  if (status === 0) return JSON.parse(stdout);
  throw new Error(
    `The process for ${args.slice(0, 3).join(' ')} ended with exit code ${status}: ${error?.message ?? stderr}`,
  );
}

function measureFolderBytes(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
