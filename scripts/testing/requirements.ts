import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { detectSandbox } from '../../packages/runtime/src/sandbox/detect-sandbox.ts';
import { findProgram, programs, type Program } from '../setup/system-packages.mjs';

/** A requirement of the tests with this tag that a machine may lack. */
export type TestRequirement = {
  readonly tag: string;
  readonly usedBy: string;
  /** Why it cannot be used here; null if it can. */
  readonly problem: string | null;
  /** The program to install, if that suffices. */
  readonly program: Program | null;
};

/** Checks which of the required platforms, programs and privileges this machine provides. */
export async function checkRequirements(): Promise<readonly TestRequirement[]> {
  const needed = await Promise.all(programs.map((program) => checkProgram(program)));
  return [...listPlatformRequirements(process.platform), ...needed, checkMount()];
}

/** The requirements that depend on the platform alone: `unix` is everything except Windows. */
export function listPlatformRequirements(platform: NodeJS.Platform): readonly TestRequirement[] {
  return [
    {
      tag: 'unix',
      usedBy: 'shells, signals, links and file modes',
      problem: platform === 'win32' ? 'Windows is not a Unix system' : null,
      program: null,
    },
    {
      tag: 'linux',
      usedBy: 'features of Linux',
      problem: platform === 'linux' ? null : 'this system is not Linux',
      program: null,
    },
  ];
}

async function checkProgram(program: Program): Promise<TestRequirement> {
  const { tag, usedBy, commands } = program;
  if (findProgram(commands) === null)
    return { tag, usedBy, problem: `${commands[0]} is not installed`, program };
  const problem = await (checks[tag]?.() ?? null);
  return { tag, usedBy, problem, program: null };
}

/** Programs that may not work even if installed, for example in a container without user namespaces. */
const checks: Readonly<Record<string, () => Promise<string | null> | string | null>> = {
  bubblewrap: async () => (await detectSandbox()).problem,
  strace() {
    const inject = ['-f', '-e', 'inject=fsync:error=EIO', '-o', '/dev/null', 'true'];
    return spawnSync('strace', inject, { stdio: 'ignore' }).status === 0 ? null : 'strace may not trace here';
  },
};

/** Tests of a full disk mount a small one. */
function checkMount(): TestRequirement {
  const requirement = { tag: 'mount', usedBy: 'a full disk', program: null };
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { ...requirement, problem: 'only root on Linux may mount a file system' };
  const folder = mkdtempSync(join(tmpdir(), 'pawl-mount-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' });
  if (status === 0) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return { ...requirement, problem: status === 0 ? null : 'mounting a file system is not allowed here' };
}
