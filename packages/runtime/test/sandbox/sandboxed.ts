import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrapLauncher, type BubblewrapOptions } from '../../src/sandbox/bubblewrap.ts';
import { findLauncher } from '../../src/sandbox/find-launcher.ts';
import type { Confines } from '../../src/sandbox/launcher.ts';
import { runCommand, type CommandEnd } from '../../src/sandbox/run-command.ts';

/** Why nothing can be run in a sandbox here; null when it can. Skipped tests fail `.ci/run`, so this is said aloud. */
export const problem: string | null = (await findLauncher()).problem;
if (problem !== null) console.warn(`The sandbox cannot be tested here. ${problem}`);

/** A folder of the test's own, with its real name. */
export function scratch(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'pawl-sandbox-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs a line of shell inside the sandbox. */
export function inside(
  script: string,
  confines: Partial<Confines> & { readonly cwd: string },
  options: BubblewrapOptions = {},
): Promise<CommandEnd> {
  const whole = { writable: [confines.cwd], network: false, env: { PATH: '/usr/bin:/bin' }, ...confines };
  const launch = bubblewrapLauncher(options).launch(['bash', '-c', script], whole);
  return runCommand({ launch, cwd: confines.cwd, timeoutMs: 20_000 });
}
