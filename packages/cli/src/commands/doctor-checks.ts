import { access, mkdtemp, rmdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { userConfigFolder, findLauncher, runCommand, scrubbedEnvironment } from '@pawl/runtime';
import { visibleLine } from '../visible.ts';

/** One thing that was looked at. `advice` says what to do about it; null when nothing is. */
export type Check = {
  readonly name: string;
  /** Pawl does not work without it. */
  readonly needed: boolean;
  readonly ok: boolean;
  readonly found: string;
  readonly advice: string | null;
};

export type Machine = {
  readonly env: NodeJS.ProcessEnv;
  readonly nodeVersion: string;
  /** How long each program may take to say its version. */
  readonly timeoutMs: number;
};

/** Looks at everything at once, and at nothing for longer than it may take. */
export async function checkMachine(machine: Machine): Promise<readonly Check[]> {
  const rest = await Promise.all([
    ...programs.map((program) => installed(program, machine)),
    sandbox(machine),
    settings(machine),
    disk(machine),
  ]);
  return [node(machine), ...rest];
}

const nodeNeeded = 24;

function node({ nodeVersion }: Machine): Check {
  const ok = Number.parseInt(nodeVersion, 10) >= nodeNeeded;
  const advice = ok ? null : `Install Node ${nodeNeeded} or newer from https://nodejs.org`;
  return { name: 'node', needed: true, ok, found: nodeVersion, advice };
}

type Program = { readonly name: string; readonly commands: readonly string[]; readonly advice: string };

const programs: readonly Program[] = [
  {
    name: 'npm',
    commands: ['npm'],
    advice: 'It comes with Node; it installs what a model provider needs.',
  },
  {
    name: 'git',
    commands: ['git'],
    advice: 'Install git to keep each step of the work as a commit: apt install git',
  },
  {
    name: 'redis-server',
    commands: ['redis-server'],
    advice: 'Install Redis if several workers are to share the work: apt install redis-server',
  },
  {
    name: 'chromium',
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    advice: 'Install Chromium if pages are to be looked at in tests: apt install chromium',
  },
];

/** Asks each command for its version until one answers. */
async function installed({ name, commands, advice }: Program, machine: Machine): Promise<Check> {
  const env = scrubbedEnvironment(machine.env);
  let found = 'not installed';
  for (const file of commands) {
    const launch = { file, args: ['--version'], env };
    const end = await runCommand({ launch, cwd: '/', timeoutMs: machine.timeoutMs, outputBytesMax: 1_000 });
    const [version = ''] = visibleLine(end.stdout.trim()).split('⏎');
    if (end.code === 0) return { name, needed: false, ok: true, found: version.slice(0, 80), advice: null };
    if (end.kind !== 'not-started') found = `${file} ${end.what}`;
  }
  return { name, needed: false, ok: false, found, advice };
}

async function sandbox({ timeoutMs }: Machine): Promise<Check> {
  const { kind, problem } = await findLauncher({ timeoutMs });
  const found = problem === null ? `${kind}, and it works` : 'none';
  return { name: 'sandbox', needed: false, ok: problem === null, found, advice: problem };
}

async function settings({ env }: Machine): Promise<Check> {
  const folder = userConfigFolder(env);
  const place = await nearest(folder);
  // Root may do everything, on paper; only trying tells.
  const ok = await mkdtemp(join(place, '.pawl-doctor-'))
    .then(rmdir)
    .then(
      () => true,
      () => false,
    );
  const advice = ok ? null : `Give yourself the right to write in ${place}, or set XDG_CONFIG_HOME.`;
  return { name: 'config', needed: true, ok, found: folder, advice };
}

const diskNeededBytes = 500e6;

async function disk({ env }: Machine): Promise<Check> {
  const name = 'disk';
  const place = await nearest(userConfigFolder(env));
  const facts = await statfs(place).catch(() => null);
  if (facts === null) return { name, needed: true, ok: false, found: 'unknown', advice: `Look at ${place}.` };
  const bytes = facts.bavail * facts.bsize;
  const ok = bytes >= diskNeededBytes;
  const advice = ok ? null : `Make room on the disk that holds ${place}: at least 0.5 GB.`;
  return { name, needed: true, ok, found: `${(bytes / 1e9).toFixed(1)} GB free`, advice };
}

/** The folder itself or the nearest one around it that exists. */
async function nearest(folder: string): Promise<string> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : nearest(dirname(folder));
}
