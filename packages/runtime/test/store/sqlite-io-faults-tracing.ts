import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { tempFolder, type TempFolder } from '../search/temp-folder.ts';

const tracer = 'strace';

export type Traced = ChildProcessByStdio<null, Readable, Readable>;

/** Runs a script of ours under strace. */
export function traced(options: readonly string[], script: string, ...args: readonly string[]): Traced {
  return spawn(tracer, ['-f', ...options, process.execPath, script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Why nothing can be traced here; null where it can. */
export const noTracing = whyNot();

function whyNot(): string | null {
  const { status, error } = spawnSync(tracer, [
    '-f',
    '-e',
    'inject=fsync:error=EIO',
    '-o',
    '/dev/null',
    'true',
  ]);
  if (error !== undefined) return 'there is no strace';
  return status === 0 ? null : 'strace may not trace';
}

if (noTracing !== null) console.warn(`${noTracing}, so the tests of a failing disk are skipped`);

/** Whether there is all the time in the world. */
export const isLong = process.env['PAWL_LONG'] === '1';

/** A folder in memory where there is such a place: the disk of this machine is not what is tried. */
export function quickFolder(): TempFolder {
  const inMemory = '/dev/shm';
  if (!existsSync(inMemory)) return tempFolder();
  const root = mkdtempSync(join(inMemory, 'pawl-'));
  return {
    root,
    at: (path) => join(root, path),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
