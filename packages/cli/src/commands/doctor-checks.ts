import { findLauncher, runCommand, scrubbedEnvironment, userConfigFolder } from '@pawl/runtime';
import { dataFolder } from '../data-folder.ts';
import { visibleLine } from '../visible.ts';
import type { Check } from './doctor-check.ts';
import { checkDisk, checkFolder } from './doctor-folders.ts';
import { checkRedis } from './doctor-redis.ts';
import { checkSettings } from './doctor-settings.ts';
import { checkSqlite } from './doctor-sqlite.ts';

export type Machine = {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  /** The folder whose configuration counts. */
  readonly cwd: string;
  readonly nodeVersion: string;
  /** How long each program or server may take to answer. */
  readonly timeoutMs: number;
};

/** Looks at everything at once, and at nothing for longer than it may take. */
export async function checkMachine(machine: Machine): Promise<readonly Check[]> {
  const { env } = machine;
  const data = dataFolder(machine);
  const rest = await Promise.all([
    sandbox(machine),
    ...programs.map((program) => installed(program, machine)),
    checkRedis(machine),
    checkFolder({ name: 'config', path: userConfigFolder(env), variable: 'XDG_CONFIG_HOME' }),
    checkFolder({ name: 'data', path: data, variable: 'XDG_DATA_HOME' }),
    checkDisk(data),
    checkSettings(machine),
  ]);
  return [node(machine), checkSqlite(), ...rest.flat()];
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
