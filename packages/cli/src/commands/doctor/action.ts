import process from 'node:process';
import { exitCodes, type ExitCode, UsageError } from '../../output/exit-codes.ts';
import type { CommandIo } from '../../output/command-io.ts';
import { sanitizeOneLine } from '../../output/sanitize-text.ts';
import { getUserConfigFolder, mergeConfigs } from '@pawl/runtime/config';
import { getDataFolder } from '@pawl/runtime/data-folder';
import {
  formatInstallCommand,
  formatTrustCommand,
  knownProviders,
  locateProviderPackage,
} from '@pawl/runtime/models';
import { getPlatformName } from '@pawl/runtime/platform';
import { detectSandbox, runCommand, scrubEnvironment } from '@pawl/runtime/sandbox';
import { DatabaseSync } from 'node:sqlite';
import { mkdtemp, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { loadConfigLayers } from '../../options/load-config.ts';

export type DoctorOptions = { readonly json?: boolean | undefined };

function describeMachine(): DoctorMachine {
  const { env, platform, versions } = process;
  return { env, platform, cwd: process.cwd(), nodeVersion: versions.node, timeoutMs: 5_000 };
}

/** Reports what this machine has and lacks; the exit code says whether every requirement is met. */
export async function runDoctor(
  { json }: DoctorOptions,
  io: CommandIo,
  machine: DoctorMachine = describeMachine(),
): Promise<ExitCode> {
  const checks = await checkMachine(machine);
  const ok = checks.every((check) => check.ok || !check.needed);
  io.stdout.write(
    json === true ? `${JSON.stringify({ ok, checks }, null, 2)}\n` : formatDoctorReport(checks, ok),
  );
  return ok ? exitCodes.finished : exitCodes.failed;
}

function formatDoctorReport(checks: readonly DoctorCheck[], ok: boolean): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, found, advice, ...check }) => [
    `${formatCheckStatus(check)}  ${name.padEnd(width)}  ${sanitizeOneLine(found)}`,
    ...(advice === null ? [] : [`${' '.repeat(width + 11)}${sanitizeOneLine(advice)}`]),
  ]);
  const conclusion = ok ? 'All requirements are met.' : 'Some requirements are not met.';
  return `${[...lines, '', conclusion].join('\n')}\n`;
}

function formatCheckStatus({ ok, needed }: Pick<DoctorCheck, 'ok' | 'needed'>): string {
  if (ok) return 'ok     ';
  return needed ? 'MISSING' : 'absent ';
}

/** The result of one check. `advice` says how to fix a problem; null if there is none. */
export type DoctorCheck = {
  readonly name: string;
  /** Whether Pawl requires it. */
  readonly needed: boolean;
  readonly ok: boolean;
  readonly found: string;
  readonly advice: string | null;
};

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
async function checkMachine(machine: DoctorMachine): Promise<readonly DoctorCheck[]> {
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

/** Checks that SQLite has full-text search and JSON, which sessions and searches need. */
function checkSqlite(): DoctorCheck {
  const name = 'sqlite';
  try {
    using database = new DatabaseSync(':memory:');
    database.exec('CREATE VIRTUAL TABLE words USING fts5(text)');
    const row = database.prepare(`SELECT sqlite_version() AS version, json('1') AS one`).get();
    return { name, needed: true, ok: true, found: String(row?.['version']), advice: null };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    const advice =
      'Install Node.js from https://nodejs.org: this build lacks full-text search or JSON in SQLite.';
    return { name, needed: true, ok: false, found, advice };
  }
}

type CheckedFolder = {
  readonly name: string;
  readonly path: string;
  /** The environment variable that overrides the path. */
  readonly variable: string;
  readonly platform: NodeJS.Platform;
};

/** Checks that the user, and only the user, can write to a folder. */
async function checkFolder({ name, path, variable, platform }: CheckedFolder): Promise<DoctorCheck> {
  const existing = await findExistingAncestor(path);
  if (!(await canWrite(existing))) {
    const advice = `Make ${existing} writable for you, or set ${variable} to another folder.`;
    return { name, needed: true, ok: false, found: path, advice };
  }
  if (existing === path && (await isWritableByOthers(path, platform))) {
    const advice = `Remove write access for other users: chmod go-w ${path}`;
    return { name, needed: true, ok: false, found: `${path}, writable by other users`, advice };
  }
  return { name, needed: true, ok: true, found: path, advice: null };
}

/** Creates a test folder, because permission bits say nothing about what root can write. */
function canWrite(folder: string): Promise<boolean> {
  return mkdtemp(join(folder, '.pawl-doctor-'))
    .then(rmdir)
    .then(
      () => true,
      () => false,
    );
}

/** Windows has no such permission bits. */
async function isWritableByOthers(path: string, platform: NodeJS.Platform): Promise<boolean> {
  const { mode } = await stat(path);
  return platform !== 'win32' && (mode & 0o022) !== 0;
}

const minFreeDiskBytes = 500e6;

/** Checks the free disk space where sessions are stored. */
async function checkDisk(path: string): Promise<DoctorCheck> {
  const name = 'disk';
  const existing = await findExistingAncestor(path);
  const stats = await statfs(existing).catch(() => null);
  if (stats === null) {
    return {
      name,
      needed: true,
      ok: false,
      found: 'unknown',
      advice: `Check the disk that holds ${existing}.`,
    };
  }
  const bytes = stats.bavail * stats.bsize;
  const ok = bytes >= minFreeDiskBytes;
  const advice = ok ? null : `Free at least 0.5 GB on the disk that holds ${existing}.`;
  return { name, needed: true, ok, found: `${(bytes / 1e9).toFixed(1)} GB free`, advice };
}

/** Returns the folder, or its nearest existing ancestor. */
async function findExistingAncestor(folder: string): Promise<string> {
  const exists = await stat(folder).then(
    () => true,
    () => false,
  );
  return exists || dirname(folder) === folder ? folder : findExistingAncestor(dirname(folder));
}

type RedisCheckOptions = { readonly env: NodeJS.ProcessEnv; readonly timeoutMs: number };

/** Other programs use `REDIS_URL` too, so it may not be meant for Pawl. */
const redisVariables = ['PAWL_REDIS_URL', 'REDIS_URL'] as const;

/** Checks that the Redis named in the environment answers; without one there is no check. */
async function checkRedis({ env, timeoutMs }: RedisCheckOptions): Promise<readonly DoctorCheck[]> {
  const variable = redisVariables.find((name) => (env[name] ?? '') !== '');
  if (variable === undefined) return [];
  const needed = variable === 'PAWL_REDIS_URL';
  const url = URL.parse(env[variable] ?? '');
  const isRedis = url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== '';
  if (!isRedis) {
    const advice = `Set ${variable} to a URL such as redis://127.0.0.1:6379, or unset it.`;
    return [{ name: 'redis', needed, ok: false, found: `${variable} is not a Redis URL`, advice }];
  }
  // Never print the URL itself, because it may contain a password.
  const address = `${url.hostname}:${getRedisPort(url)}`;
  const problem = await pingRedis(url, timeoutMs);
  const found = problem === null ? `${address} answers` : `${address} ${problem}`;
  const advice =
    problem === null
      ? null
      : `Start Redis, correct ${variable}, or unset it: Pawl does not need Redis on a single machine.`;
  return [{ name: 'redis', needed, ok: problem === null, found, advice }];
}

function getRedisPort({ port }: URL): number {
  return port === '' ? 6379 : Number(port);
}

/** Pings Redis; one that asks for a password first counts as reachable. */
function pingRedis(url: URL, timeoutMs: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const socket = connectSocket(url);
  let reply = '';
  socket.setTimeout(timeoutMs, () => resolve(`did not answer within ${timeoutMs / 1_000} s`));
  socket.on('error', (error: Error) => resolve(`cannot be reached (${getErrorCodeOrMessage(error)})`));
  socket.on('close', () => resolve('closed the connection'));
  socket.on('data', (bytes: Buffer) => {
    reply += bytes.toString('latin1');
    if (/^(?:\+PONG|-NOAUTH|-NOPERM)/.test(reply)) resolve(null);
    else if (reply.length >= 7) resolve('answers, but is not Redis');
  });
  socket.write('PING\r\n');
  return promise.finally(() => socket.destroy());
}

function connectSocket(url: URL): Socket {
  // Strip the brackets of an IPv6 address.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = getRedisPort(url);
  return url.protocol === 'rediss:' ? connectTls({ host, port, servername: host }) : connect({ host, port });
}

function getErrorCodeOrMessage(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

type SettingsCheckOptions = { readonly env: NodeJS.ProcessEnv; readonly cwd: string };

/** Checks the configuration and all providers; only the configured provider is required. */
async function checkSettings({ env, cwd }: SettingsCheckOptions): Promise<readonly DoctorCheck[]> {
  try {
    const { layers, warnings } = await loadConfigLayers(cwd, {}, { env });
    const { model = 'librarian' } = mergeConfigs(layers);
    const [provider = ''] = model.split(':', 1);
    const advice = warnings[0] ?? null;
    const settings: DoctorCheck = {
      name: 'settings',
      needed: true,
      ok: true,
      found: `model ${model}`,
      advice,
    };
    return [settings, ...(await checkProviders(env, provider.trim().toLowerCase(), cwd))];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const found = 'invalid';
    return [
      { name: 'settings', needed: true, ok: false, found, advice: error.message },
      ...(await checkProviders(env, '', cwd)),
    ];
  }
}

/** Checks each provider's package and API key; only the name of the key's variable is ever shown. */
async function checkProviders(
  env: NodeJS.ProcessEnv,
  configured: string,
  cwd: string,
): Promise<readonly DoctorCheck[]> {
  // ollama and similar providers use the openai-compatible package.
  const required = knownProviders.get(configured)?.keyless === true ? 'openai-compatible' : configured;
  // The providers for self-hosted servers share the package of openai-compatible.
  const named = [...knownProviders].filter(([name, { packageName }]) => packageName === `@ai-sdk/${name}`);
  const checks = named.map(async ([name, { packageName }]) => {
    const installed = await checkPackage(packageName, cwd);
    const key = checkApiKey(name, env);
    const fixes = [installed.fix, key.fix].filter((fix) => fix !== null);
    return {
      name,
      needed: name === required,
      ok: fixes.length === 0,
      found: `${installed.found}, ${key.found}`,
      advice: fixes.length === 0 ? null : `To use ${name}: ${fixes.join(', ')}.`,
    };
  });
  return Promise.all(checks);
}

/** `fix` says how to provide what is missing; null if nothing is. */
type ProviderState = { readonly found: string; readonly fix: string | null };

async function checkPackage(name: string, cwd: string): Promise<ProviderState> {
  const location = await locateProviderPackage(name, cwd);
  switch (location.kind) {
    case 'own':
      return { found: `${name} is installed`, fix: null };
    case 'missing':
      return { found: `${name} is not installed`, fix: formatInstallCommand(name) };
    case 'project':
      return location.isTrusted
        ? { found: `${name} is installed in ${location.folder}`, fix: null }
        : { found: `${name} is installed in ${location.folder} and not trusted`, fix: formatTrustCommand() };
    default:
      return location satisfies never;
  }
}

function checkApiKey(name: string, env: NodeJS.ProcessEnv): ProviderState {
  const { keys = [], keyless = false } = knownProviders.get(name) ?? {};
  const key = keys.find((each) => (env[each] ?? '').trim() !== '');
  if (key !== undefined) return { found: `${key} is set`, fix: null };
  if (keyless) return { found: 'no API key needed', fix: null };
  return { found: 'no API key set', fix: `set ${keys[0] ?? 'its API key'}` };
}
