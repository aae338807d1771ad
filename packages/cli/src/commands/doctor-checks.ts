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
  const dataFolder = getDataFolder(machine);
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
    checkFolder({ name: 'data', path: dataFolder, variable: 'XDG_DATA_HOME', platform }),
    checkDisk(dataFolder),
    checkSettings(machine),
  ]);
  return [checkNode(machine), checkSqlite(), ...rest.flat()];
}

const minNodeVersion = '24.7.0';

function checkNode({ nodeVersion }: DoctorMachine): DoctorCheck {
  const ok = compareVersions(nodeVersion, minNodeVersion) >= 0;
  const advice = ok ? null : `Install Node.js ${minNodeVersion} or newer from https://nodejs.org`;
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
    advice: 'Install npm, which comes with Node.js: it installs the packages of model providers.',
  },
  {
    name: 'git',
    commands: ['git'],
    advice: 'Install git to commit each step automatically',
    packages: { linux: 'git', darwin: 'git', win32: 'Git.Git' },
  },
  {
    name: 'redis-server',
    commands: ['redis-server'],
    advice: 'Install Redis to run several workers',
    packages: { linux: 'redis-server', darwin: 'redis', win32: null },
  },
  {
    name: 'chromium',
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    advice: 'Install Chromium to run browser tests',
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
    const result = await runCommand({
      sandboxLaunch,
      cwd: '/',
      timeoutMs: machine.timeoutMs,
      outputBytesMax: 1_000,
    });
    const [version = ''] = sanitizeOneLine(result.stdout.trim()).split('⏎');
    if (result.code === 0)
      return { name, needed: false, ok: true, found: version.slice(0, 80), advice: null };
    if (result.kind !== 'not-started') found = `${file} ${result.summary}`;
  }
  return { name, needed: false, ok: false, found, advice: installAdvice(program, machine.platform) };
}

const installers = { linux: 'apt install', darwin: 'brew install', win32: 'winget install' } as const;

function installAdvice({ advice, packages }: OptionalProgram, platform: NodeJS.Platform): string {
  if (packages === undefined) return advice;
  const supported = platform === 'darwin' || platform === 'win32' ? platform : 'linux';
  const name = packages[supported];
  return name === null
    ? `${advice}. There is no version for ${getPlatformName(platform)}: run it in a container or on another machine.`
    : `${advice}: ${installers[supported]} ${name}`;
}

async function checkSandbox({ timeoutMs, platform }: DoctorMachine): Promise<DoctorCheck> {
  const { kind, problem } = await detectSandbox({ timeoutMs, platform });
  const found = problem === null ? `${kind}, working` : 'none';
  return { name: 'sandbox', needed: false, ok: problem === null, found, advice: problem };
}
