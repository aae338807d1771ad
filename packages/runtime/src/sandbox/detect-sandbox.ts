import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getPlatformName } from '../platform/platform.ts';
import { toPrintableLine } from '../text/one-line.ts';
import { createBubblewrapSandbox, type BubblewrapOptions } from './bubblewrap.ts';
import { passthroughSandbox, type CommandSandbox } from './command-sandbox.ts';
import { runCommand } from './run-command.ts';

/** A sandbox, and one line that says why it enforces nothing and what to do; null if it works. */
export type DetectedSandbox = CommandSandbox & { readonly problem: string | null };

export type DetectSandboxOptions = Omit<BubblewrapOptions, 'file'> & {
  /** Where to look for bubblewrap. `PATH` is not used, because another user may control a folder in it. */
  readonly paths?: readonly string[];
  readonly timeoutMs?: number;
  readonly platform?: NodeJS.Platform;
};

const bubblewrapPaths = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

/** Detects the best sandbox on this machine and tests that it works. */
export async function detectSandbox(options: DetectSandboxOptions = {}): Promise<DetectedSandbox> {
  const { paths = bubblewrapPaths, timeoutMs = 30_000, platform = process.platform, ...rest } = options;
  if (platform !== 'linux') return { ...passthroughSandbox, problem: explainNoSandbox(platform) };
  const file = paths.find((path) => existsSync(path));
  if (file === undefined) return { ...passthroughSandbox, problem: missingSandboxText };
  const sandbox = createBubblewrapSandbox({ file, ...rest });
  const problem = await findSandboxProblem(sandbox, timeoutMs);
  return problem === null ? { ...sandbox, problem } : { ...passthroughSandbox, problem };
}

const missingSandboxText =
  'bubblewrap is not installed, so commands run with all your permissions. Install it: apt install bubblewrap';

function explainNoSandbox(platform: NodeJS.Platform): string {
  return `The sandbox is not supported on ${getPlatformName(platform)}, so commands run with all your permissions.`;
}

/** Runs a command in the sandbox that checks whether it can see a file outside. */
async function findSandboxProblem(sandbox: CommandSandbox, timeoutMs: number): Promise<string | null> {
  const outside = await mkdtemp(join(tmpdir(), 'pawl-outside-'));
  const inside = await mkdtemp(join(tmpdir(), 'pawl-inside-'));
  try {
    await writeFile(join(outside, 'file'), '');
    const env = { PATH: '/usr/bin:/bin' };
    const policy = { cwd: inside, writable: [inside], network: false, env };
    const probe = ['sh', '-c', 'if test -e "$1"; then exit 3; fi', 'sh', join(outside, 'file')] as const;
    const result = await runCommand({ sandboxLaunch: sandbox.launch(probe, policy), cwd: inside, timeoutMs });
    if (result.kind === 'exited' && result.code === 0) return null;
    if (result.kind === 'exited' && result.code === 3) return leakySandboxText;
    const errorOutput = toPrintableLine(result.stderr.trim(), 200);
    return `bubblewrap is installed but ${result.summary}${errorOutput === '' ? '' : ` (${errorOutput})`}. ${namespaceAdvice}`;
  } finally {
    await Promise.all([outside, inside].map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

const leakySandboxText =
  'bubblewrap is installed but does not isolate commands. Reinstall it from the system packages.';
const namespaceAdvice =
  'Bubblewrap 0.8 or newer and permission to create user namespaces are required; see docs/sandbox.md.';
