import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oneLine } from '../schema/one-line.ts';
import { bubblewrapLauncher, type BubblewrapOptions } from './bubblewrap.ts';
import { openLauncher, type Launcher } from './launcher.ts';
import { runCommand } from './run-command.ts';

/** A launcher, and why it holds nothing back, if it does not: one line that says what to do. */
export type FoundLauncher = Launcher & { readonly problem: string | null };

export type FindOptions = Omit<BubblewrapOptions, 'file'> & {
  /** Where to look for bubblewrap. Never in `PATH`: a folder there may belong to somebody else. */
  readonly places?: readonly string[];
  readonly timeoutMs?: number;
};

const systemPlaces = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

/** The best this machine can do to hold commands back. What is found is tried before it is believed. */
export async function findLauncher(options: FindOptions = {}): Promise<FoundLauncher> {
  const { places = systemPlaces, timeoutMs = 5_000, ...rest } = options;
  const file = places.find((place) => existsSync(place));
  if (file === undefined) return { ...openLauncher, problem: missing };
  const launcher = bubblewrapLauncher({ file, ...rest });
  const problem = await problemOf(launcher, timeoutMs);
  return problem === null ? { ...launcher, problem } : { ...openLauncher, problem };
}

const missing =
  process.platform === 'linux'
    ? 'bubblewrap is not installed, so commands run with all your rights. Install it: apt install bubblewrap'
    : `There is no sandbox for ${process.platform} yet, so commands run with all your rights.`;

/** Starts a command inside that looks for a file outside. */
async function problemOf(launcher: Launcher, timeoutMs: number): Promise<string | null> {
  const outside = await mkdtemp(join(tmpdir(), 'pawl-outside-'));
  const inside = await mkdtemp(join(tmpdir(), 'pawl-inside-'));
  try {
    await writeFile(join(outside, 'file'), '');
    const env = { PATH: '/usr/bin:/bin' };
    const confines = { cwd: inside, writable: [inside], network: false, env };
    const look = ['sh', '-c', 'if test -e "$1"; then exit 3; fi', 'sh', join(outside, 'file')] as const;
    const end = await runCommand({ launch: launcher.launch(look, confines), cwd: inside, timeoutMs });
    if (end.kind === 'exited' && end.code === 0) return null;
    if (end.kind === 'exited' && end.code === 3) return leaky;
    const said = oneLine(end.stderr.trim(), 200);
    return `bubblewrap is installed but ${end.what}${said === '' ? '' : ` (${said})`}. ${allow}`;
  } finally {
    await Promise.all([outside, inside].map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

const leaky = 'bubblewrap is installed but hides nothing. Install the one of your system anew.';
const allow =
  'Bubblewrap 0.8 or newer and the right to make user namespaces are needed; see docs/sandbox.md.';
