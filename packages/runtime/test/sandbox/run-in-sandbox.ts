import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBubblewrapSandbox, type BubblewrapOptions } from '../../src/sandbox/bubblewrap.ts';
import type { SandboxPolicy } from '../../src/sandbox/command-sandbox.ts';
import { runCommand, type CommandResult } from '../../src/sandbox/run-command.ts';

/** A folder of the test's own, with its real name. */
export function createScratchFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'pawl-sandbox-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs a line of shell inside the sandbox. */
export function runInSandbox(
  script: string,
  policy: Partial<SandboxPolicy> & { readonly cwd: string },
  options: BubblewrapOptions = {},
): Promise<CommandResult> {
  const whole = { writable: [policy.cwd], network: false, env: { PATH: '/usr/bin:/bin' }, ...policy };
  const sandboxLaunch = createBubblewrapSandbox(options).launch(['bash', '-c', script], whole);
  return runCommand({ sandboxLaunch, cwd: policy.cwd, timeoutMs: 600_000 });
}
