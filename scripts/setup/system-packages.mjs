import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, isAbsolute, join } from 'node:path';

/** The programs that some tests need and npm cannot install. `tag` is the vitest tag of these tests. */
export const programs = JSON.parse(readFileSync(new URL('./programs.json', import.meta.url), 'utf8'));

const systemFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin'];

/** Returns the path of the first of these commands that is installed, or null. */
export function findProgram(commands, env = process.env) {
  const searched = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const folders = [...searched, ...systemFolders];
  const names = process.platform === 'win32' ? commands.map((command) => `${command}.exe`) : commands;
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => isExecutable(path)) ?? null;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Installs missing programs that the tests need with apt, and prints what and why. Does nothing without root,
 * without apt, or with `PAWL_SYSTEM_PACKAGES=no`; the tests that need a missing program are then skipped.
 */
export function installSystemPackages(say, options = {}) {
  const { wanted = programs, env = process.env, userId = process.getuid?.(), binFolder } = options;
  if (userId !== 0 || env.PAWL_SYSTEM_PACKAGES === 'no') return;
  const missing = wanted.filter(({ commands }) => findProgram(commands, env) === null);
  const aptGet = findProgram(['apt-get'], env);
  if (missing.length === 0 || aptGet === null) return;
  say('installing with apt what some tests need (PAWL_SYSTEM_PACKAGES=no skips these tests instead):');
  for (const { apt, usedBy } of missing) say(`  ${apt}, for the tests of ${usedBy}`);
  const failed = installPrograms(missing, { aptGet, env, binFolder });
  if (failed.length > 0)
    say(`apt could not install ${failed.join(', ')}; the tests that need it are skipped.`);
}

/** Returns the names of the packages that could not be installed. */
function installPrograms(missing, { aptGet, env, binFolder = '/usr/local/bin' }) {
  const runApt = (...args) => runAptGet(aptGet, args, { env });
  runApt('update');
  const names = missing.filter(({ extract }) => extract === undefined).map(({ apt }) => apt);
  const failed = missing
    .filter(({ extract }) => extract !== undefined)
    .filter((program) => !extractProgram(program, { aptGet, env, binFolder }));
  return [...installNames(names, runApt), ...failed.map(({ apt }) => apt)];
}

/** Returns the names that could not be installed. An unavailable package does not prevent the others. */
function installNames(names, aptGet) {
  const install = (...some) => aptGet('install', '--yes', '--no-install-recommends', ...some);
  return names.length === 0 || install(...names) ? [] : names.filter((name) => !install(name));
}

// Another installation may be running, for example that of another clone.
const waitForLock = ['-o', 'DPkg::Lock::Timeout=300'];

function runAptGet(file, args, { env, cwd }) {
  const { status } = spawnSync(file, ['-qq', ...waitForLock, ...args], {
    cwd,
    env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 10 * 60_000,
  });
  return status === 0;
}

/** Downloads a package and takes one program out of it, without installing it. Returns whether it worked. */
function extractProgram({ apt, extract }, { aptGet, env, binFolder }) {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-package-'));
  try {
    // apt's own user could not write into the folder.
    if (!runAptGet(aptGet, ['-o', 'APT::Sandbox::User=root', 'download', apt], { env, cwd: folder }))
      return false;
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
    if (archive === undefined) return false;
    const unpack = spawnSync('dpkg-deb', ['--extract', archive, 'content'], {
      cwd: folder,
      env,
      stdio: 'ignore',
    });
    const file = join(folder, 'content', extract);
    if (unpack.status !== 0 || !isExecutable(file)) return false;
    mkdirSync(binFolder, { recursive: true });
    const target = join(binFolder, basename(extract));
    copyFileSync(file, target);
    chmodSync(target, 0o755);
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
