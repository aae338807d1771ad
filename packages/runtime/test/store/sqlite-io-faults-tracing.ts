import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createTempFolder, type TempFolder } from '../search/temp-folder.ts';

const tracer = 'strace';

export type TracedProcess = ChildProcessByStdio<null, Readable, Readable>;

/** Runs a script of ours under strace. */
export function spawnTraced(
  options: readonly string[],
  script: string,
  ...args: readonly string[]
): TracedProcess {
  return spawn(tracer, ['-f', ...options, process.execPath, script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Whether there is all the time in the world. */
export const isSoak = process.env['PAWL_SOAK'] === '1';

/** A folder in memory where there is such a place: the disk of this machine is not what is tried. */
export function createMemoryFolder(): TempFolder {
  const inMemory = '/dev/shm';
  if (!existsSync(inMemory)) return createTempFolder();
  const root = mkdtempSync(join(inMemory, 'pawl-'));
  return {
    root,
    at: (path) => join(root, path),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
