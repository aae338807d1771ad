import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { configFileNames } from '../config/find-config.ts';
import type { Launcher } from './launcher.ts';
import { SandboxError } from './sandbox-error.ts';

export type BubblewrapOptions = {
  /** Where bubblewrap is. */
  readonly file?: string;
  /** The home folder to hide. */
  readonly home?: string;
  /** Files and folders every command may read, besides the system's own. */
  readonly readable?: readonly string[];
};

/**
 * Runs commands in namespaces of their own. They see the system's programs read-only, the folders named in their confines,
 * an empty home folder, and an empty `/tmp` that is gone with them; no other process, no socket of the machine, and the
 * network only if it is allowed. They end when whoever started them ends.
 */
export function bubblewrapLauncher(options: BubblewrapOptions = {}): Launcher {
  const { file = '/usr/bin/bwrap', home = homedir(), readable = [] } = options;
  return {
    kind: 'bubblewrap',
    launch(command, { cwd, writable, readable: others = [], network, env }) {
      const programs = programFolders(env['PATH'] ?? '', home);
      const shown = [...programs, ...readable, ...others, cwd].filter((path) => !isOfSystem(path));
      const changeable = writable.flatMap((path) => mounts(path, home));
      const args = [
        ...apart,
        ...(network ? nameServers() : ['--unshare-net']),
        ...system(home),
        ...shown.flatMap((path) => mounts(path, home)).flatMap(({ from, to }) => ['--ro-bind', from, to]),
        ...changeable.flatMap(({ from, to }) => ['--bind', from, to]),
        ...guarded(changeable.map(({ to }) => to)).flatMap((path) => ['--ro-bind', path, path]),
        // What is not shown cannot be made up either.
        '--remount-ro',
        '/',
        '--chdir',
        cwd,
        '--',
        ...command,
      ];
      return { file, args, env };
    },
  };
}

/** A terminal could be typed into from inside, so there is none; and no right that could undo the rest is left. */
const apart: readonly string[] = [
  '--die-with-parent',
  '--new-session',
  '--cap-drop',
  'ALL',
  '--unshare-user',
  '--disable-userns',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
];

const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc', '/opt', '/nix/store'];

function isOfSystem(path: string): boolean {
  return systemFolders.some((folder) => holds(folder, resolve(path)));
}

/** Root could read these, and Pawl may be run by root. */
const rootsOwnFiles = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-'];
const rootsOwnFolders = ['/etc/ssl/private', '/etc/ssh', '/etc/sudoers.d'];

function system(home: string): readonly string[] {
  const hidden = rootsOwnFolders.filter((path) => existsSync(path));
  const empty = ['/tmp', '/var/tmp', ...hidden, ...(hasHome(home) ? namesOf(home) : [])];
  return [
    ...systemFolders.flatMap((path) => ['--ro-bind-try', path, path]),
    ...rootsOwnFiles.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    '--dev',
    '/dev',
    ...emptyFolder('/dev/shm'),
    '--remount-ro',
    '/dev',
    '--proc',
    '/proc',
    // Root keeps the right to change the kernel's settings through these, even without any capability.
    ...['/proc/sys', '/proc/sysrq-trigger'].flatMap((path) => ['--ro-bind-try', path, path]),
    ...empty.flatMap(emptyFolder),
  ];
}

/** It lives in memory, so it has an end. */
const emptyFolderBytesMax = 2 * 1024 ** 3;

function emptyFolder(path: string): readonly string[] {
  return ['--size', String(emptyFolderBytesMax), '--tmpfs', path];
}

/** Where the list of name servers is, if it is a link to somewhere that is not shown. */
function nameServers(): readonly string[] {
  const list = '/etc/resolv.conf';
  const path = existsSync(list) ? realpathSync(list) : list;
  return isOfSystem(path) ? [] : ['--ro-bind', path, path];
}

/** Programs that live outside the system's folders, such as a Node in the home folder with what it was installed with. */
function programFolders(path: string, home: string): readonly string[] {
  const nodeFolder = dirname(process.execPath);
  const folders = [nodeFolder, join(nodeFolder, '..', 'lib', 'node_modules'), ...path.split(':')];
  return folders.filter((each) => isAbsolute(each) && existsSync(each) && !showsHome(each, home));
}

type Mount = { readonly from: string; readonly to: string };

/** A folder is there under the name it was given and under its real one. */
function mounts(path: string, home: string): readonly Mount[] {
  if (!isAbsolute(path)) throw new SandboxError('relative', path);
  if (!existsSync(path)) throw new SandboxError('missing', path);
  if (showsHome(path, home)) throw new SandboxError('home', path);
  const from = realpathSync(path);
  return namesOf(path).map((to) => ({ from, to }));
}

function namesOf(path: string): readonly string[] {
  return existsSync(path) ? [...new Set([realpathSync(path), resolve(path)])] : [path];
}

function hasHome(home: string): boolean {
  return isAbsolute(home) && home !== '/';
}

function showsHome(path: string, home: string): boolean {
  const folder = realpathSync(path);
  return folder === '/' || (hasHome(home) && namesOf(home).some((name) => holds(folder, name)));
}

function holds(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/**
 * What a command must not change although it lies in a folder it may write to: git runs what `.git` tells it to, and Pawl
 * what its own files tell it. Whoever names a git folder among the writable ones gets it without its hooks and settings.
 */
function guarded(writable: readonly string[]): readonly string[] {
  const inside = writable.flatMap((folder) => [
    ...ownFiles.map((name) => join(folder, name)),
    ...(existsSync(join(folder, 'HEAD')) ? gitSettings.map((name) => join(folder, name)) : []),
  ]);
  return inside.filter((path) => existsSync(path) && !isLink(path) && !writable.includes(path));
}

/** Nothing can be mounted on a link, only where it leads. */
function isLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink();
}

const ownFiles = ['.git', '.pawl', ...configFileNames];
const gitSettings = ['hooks', 'config', 'config.worktree', 'modules', 'commondir'];
