import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** What some tests need and npm cannot install: a program, and the Debian package it comes in. */
const programs = [
  { file: '/usr/bin/git', name: 'git' },
  { file: '/usr/bin/bwrap', name: 'bubblewrap' },
  { file: '/usr/bin/strace', name: 'strace' },
  { file: '/usr/bin/redis-server', name: 'redis-server' },
  { file: '/usr/bin/tmux', name: 'tmux' },
  { file: '/usr/bin/python3', name: 'python3' },
  { file: '/usr/bin/chromium', name: 'chromium' },
];

/**
 * On a machine that is there for the tests alone, what is missing is installed. On anybody else's nothing is: there the
 * tests that need it are skipped and say why.
 */
export function installSystemPackages(say, wanted = programs) {
  if (process.env.CI !== 'true' || process.getuid?.() !== 0) return;
  const names = wanted.filter(({ file }) => !existsSync(file)).map(({ name }) => name);
  if (names.length === 0) return;
  say(`installing for the tests: ${names.join(', ')} …`);
  const isInstalled = aptGet('update') && aptGet('install', '--yes', '--no-install-recommends', ...names);
  if (!isInstalled) say(`${installer} could not install them, so the tests that need them are skipped.`);
}

const installer = 'apt-get';

function aptGet(...args) {
  const { status } = spawnSync(installer, ['-qq', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 5 * 60_000,
  });
  return status === 0;
}
