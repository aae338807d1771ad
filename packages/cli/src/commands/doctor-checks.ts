import {
  detectSandbox,
  getPlatformName,
  runCommand,
  scrubEnvironment,
  getUserConfigFolder,
} from '@pawl/runtime';
import { getDataFolder } from '../data-folder.ts';
import { sanitizeOneLine } from '../sanitize-text.ts';
import type { DoctorCheck } from './doctor-check.ts';
import { checkDisk, checkFolder } from './doctor-folders.ts';
import { checkRedis } from './doctor-redis.ts';
import { checkSettings } from './doctor-settings.ts';
import { checkSqlite } from './doctor-sqlite.ts';

export type DoctorMachine = {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  /** The folder whose configuration applies. */
  readonly cwd: string;
  readonly nodeVersion: string;
  /** Timeout for each program or server. */
  readonly timeoutMs: number;
};

/** Runs all checks concurrently, each with the timeout. */
export async function checkMachine(machine: DoctorMachine): Promise<readonly DoctorCheck[]> {
  const { env, platform } = machine;
  const data = getDataFolder(machine);
  const rest = await Promise.all([
    checkSandbox(machine),
    ...optionalPrograms.map((program) => checkOptionalProgram(program, machine)),
    checkRedis(machine),
    checkFolder({
      name: 'config',
      path: getUserConfigFolder(env, platform),
      variable: 'XDG_CONFIG_HOME',
      platform,
    }),
    checkFolder({ name: 'data', path: data, variable: 'XDG_DATA_HOME', platform }),
    checkDisk(data),
    checkSettings(machine),
  ]);
  return [checkNode(machine), checkSqlite(), ...rest.flat()];
}

const minNodeVersion = '24.7.0';

function checkNode({ nodeVersion }: DoctorMachine): DoctorCheck {
  const ok = compareVersions(nodeVersion, minNodeVersion) >= 0;
  const advice = ok ? null : `Install Node ${minNodeVersion} or newer from https://nodejs.org`;
  return { name: 'node', needed: true, ok, found: nodeVersion, advice };
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

type OptionalProgram = {
  readonly name: string;
  readonly commands: readonly string[];
  readonly advice: string;
  /** Package names per platform; null if there is no package. */
  readonly packages?: { readonly linux: string; readonly darwin: string; readonly win32: string | null };
};

const optionalPrograms: readonly OptionalProgram[] = [
  {
    name: 'npm',
    commands: ['npm'],
    advice: 'It comes with Node; it installs what a model provider needs.',
  },
  {
    name: 'git',
    commands: ['git'],
    advice: 'Install git to keep each step of the work as a commit',
    packages: { linux: 'git', darwin: 'git', win32: 'Git.Git' },
  },
  {
    name: 'redis-server',
    commands: ['redis-server'],
    advice: 'Install Redis if several workers are to share the work',
    packages: { linux: 'redis-server', darwin: 'redis', win32: null },
  },
  {
    name: 'chromium',
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    advice: 'Install Chromium if pages are to be looked at in tests',
    packages: { linux: 'chromium', darwin: '--cask chromium', win32: 'Google.Chrome' },
  },
];

/** Asks each command for its version until one answers. */
async function checkOptionalProgram(program: OptionalProgram, machine: DoctorMachine): Promise<DoctorCheck> {
  const { name, commands } = program;
  const env = scrubEnvironment(machine.env);
  let found = 'not installed';
  for (const file of commands) {
    const sandboxLaunch = { file, args: ['--version'], env };
    const end = await runCommand({
      sandboxLaunch,
      cwd: '/',
      timeoutMs: machine.timeoutMs,
      outputBytesMax: 1_000,
    });
    const [version = ''] = sanitizeOneLine(end.stdout.trim()).split('⏎');
    if (end.code === 0) return { name, needed: false, ok: true, found: version.slice(0, 80), advice: null };
    if (end.kind !== 'not-started') found = `${file} ${end.summary}`;
  }
  return { name, needed: false, ok: false, found, advice: installAdvice(program, machine.platform) };
}

const installers = { linux: 'apt install', darwin: 'brew install', win32: 'winget install' } as const;

function installAdvice({ advice, packages }: OptionalProgram, platform: NodeJS.Platform): string {
  if (packages === undefined) return advice;
  const known = platform === 'darwin' || platform === 'win32' ? platform : 'linux';
  const name = packages[known];
  return name === null
    ? `${advice}. It has no version for ${getPlatformName(platform)}: run it in a container or on another machine.`
    : `${advice}: ${installers[known]} ${name}`;
}

async function checkSandbox({ timeoutMs, platform }: DoctorMachine): Promise<DoctorCheck> {
  const { kind, problem } = await detectSandbox({ timeoutMs, platform });
  const found = problem === null ? `${kind}, and it works` : 'none';
  return { name: 'sandbox', needed: false, ok: problem === null, found, advice: problem };
}
