import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

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
  const { wanted = programs, env = process.env, userId = process.getuid?.() } = options;
  if (userId !== 0 || env.PAWL_SYSTEM_PACKAGES === 'no') return;
  const missing = wanted.filter(({ commands }) => findProgram(commands, env) === null);
  const aptGet = findProgram(['apt-get'], env);
  if (missing.length === 0 || aptGet === null) return;
  say('installing with apt what some tests need (PAWL_SYSTEM_PACKAGES=no skips these tests instead):');
  for (const { apt, usedBy } of missing) say(`  ${apt}, for the tests of ${usedBy}`);
  const names = missing.map(({ apt }) => apt);
  const failed = installNames(names, (...args) => runAptGet(aptGet, args, env));
  if (failed.length > 0)
    say(`apt could not install ${failed.join(', ')}; the tests that need it are skipped.`);
}

/** Returns the names that could not be installed. An unavailable package does not prevent the others. */
function installNames(names, aptGet) {
  const install = (...some) => aptGet('install', '--yes', '--no-install-recommends', ...some);
  aptGet('update');
  return install(...names) ? [] : names.filter((name) => !install(name));
}

// Another installation may be running, for example that of another clone.
const waitForLock = ['-o', 'DPkg::Lock::Timeout=300'];

function runAptGet(file, args, env) {
  const { status } = spawnSync(file, ['-qq', ...waitForLock, ...args], {
    env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 10 * 60_000,
  });
  return status === 0;
}
