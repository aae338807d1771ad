import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { configFileNames } from '../platform/data-folder.ts';
import type { CommandSandbox } from './command-sandbox.ts';

export type BubblewrapOptions = {
  /** Path of the bubblewrap binary. */
  readonly file?: string;
  /** The home folder to hide. */
  readonly home?: string;
  /** Files and folders that every command may read, besides the system's own. */
  readonly readable?: readonly string[];
};

/**
 * Runs commands in their own namespaces. They see the system's programs read-only, the folders of their sandbox policy,
 * an empty home folder and an empty temporary `/tmp`; no other processes, no sockets of the machine, and the network
 * only if the policy allows it. They are killed when their parent process exits.
 */
export function createBubblewrapSandbox(options: BubblewrapOptions = {}): CommandSandbox {
  const { file = '/usr/bin/bwrap', home = homedir(), readable = [] } = options;
  return {
    kind: 'bubblewrap',
    launch(command, { cwd, writable, readable: others = [], network, env }) {
      const programs = listProgramFolders(env['PATH'] ?? '', home);
      const readOnlyPaths = [...programs, ...readable, ...others, cwd].filter((path) => !isSystemPath(path));
      const writableMounts = writable.flatMap((path) => createMounts(path, home));
      const args = [
        ...isolationArguments,
        ...(network ? buildNameServerMount() : ['--unshare-net']),
        ...buildSystemMounts(home),
        ...readOnlyPaths
          .flatMap((path) => createMounts(path, home))
          .flatMap(({ from, to }) => ['--ro-bind', from, to]),
        ...writableMounts.flatMap(({ from, to }) => ['--bind', from, to]),
        ...listProtectedPaths(writableMounts.map(({ to }) => to)).flatMap((path) => [
          '--ro-bind',
          path,
          path,
        ]),
        // Make the root read-only, so that commands cannot create paths that are not mounted.
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

/** No terminal, because a command could inject input into it, and no capabilities that could undo the isolation. */
const isolationArguments: readonly string[] = [
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

function isSystemPath(path: string): boolean {
  return systemFolders.some((folder) => containsPath(folder, resolve(path)));
}

/** Root could read these, and Pawl may run as root. */
const rootOnlyFiles = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-'];
const rootOnlyFolders = ['/etc/ssl/private', '/etc/ssh', '/etc/sudoers.d'];

function buildSystemMounts(home: string): readonly string[] {
  const hidden = rootOnlyFolders.filter((path) => existsSync(path));
  const empty = ['/tmp', '/var/tmp', ...hidden, ...(isUsableHome(home) ? listPathNames(home) : [])];
  return [
    ...systemFolders.flatMap((path) => ['--ro-bind-try', path, path]),
    ...rootOnlyFiles.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    '--dev',
    '/dev',
    ...toTmpfsArguments('/dev/shm'),
    '--remount-ro',
    '/dev',
    '--proc',
    '/proc',
    // Root can change kernel settings through these, even without capabilities.
    ...['/proc/sys', '/proc/sysrq-trigger'].flatMap((path) => ['--ro-bind-try', path, path]),
    ...empty.flatMap(toTmpfsArguments),
  ];
}

/** Limited because a tmpfs uses memory. */
const emptyFolderBytesMax = 2 * 1024 ** 3;

function toTmpfsArguments(path: string): readonly string[] {
  return ['--size', String(emptyFolderBytesMax), '--tmpfs', path];
}

/** Mounts the target of `/etc/resolv.conf` if it is a link out of the mounted folders. */
function buildNameServerMount(): readonly string[] {
  const resolvConf = '/etc/resolv.conf';
  const path = existsSync(resolvConf) ? realpathSync(resolvConf) : resolvConf;
  return isSystemPath(path) ? [] : ['--ro-bind', path, path];
}

/** Lists program folders outside the system's, such as a Node in the home folder with its global packages. */
function listProgramFolders(path: string, home: string): readonly string[] {
  const nodeFolder = dirname(process.execPath);
  const folders = [nodeFolder, join(nodeFolder, '..', 'lib', 'node_modules'), ...path.split(':')];
  return folders.filter((each) => isAbsolute(each) && existsSync(each) && !exposesHome(each, home));
}

type BindMount = { readonly from: string; readonly to: string };

/** Mounts a folder under both its given name and its real path. */
function createMounts(path: string, home: string): readonly BindMount[] {
  if (!isAbsolute(path)) throw new SandboxError('relative', path);
  if (!existsSync(path)) throw new SandboxError('missing', path);
  if (exposesHome(path, home)) throw new SandboxError('home', path);
  const from = realpathSync(path);
  return listPathNames(path).map((to) => ({ from, to }));
}

function listPathNames(path: string): readonly string[] {
  return existsSync(path) ? [...new Set([realpathSync(path), resolve(path)])] : [path];
}

function isUsableHome(home: string): boolean {
  return isAbsolute(home) && home !== '/';
}

function exposesHome(path: string, home: string): boolean {
  const folder = realpathSync(path);
  return (
    folder === '/' || (isUsableHome(home) && listPathNames(home).some((name) => containsPath(folder, name)))
  );
}

function containsPath(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/**
 * Lists paths that a command must not change although they are in a writable folder: git executes what `.git`
 * configures, and Pawl obeys its own files. If a writable folder is itself a git folder, its hooks and settings stay
 * read-only.
 */
function listProtectedPaths(writable: readonly string[]): readonly string[] {
  const inside = writable.flatMap((folder) => [
    ...protectedFiles.map((name) => join(folder, name)),
    ...(existsSync(join(folder, 'HEAD')) ? gitSettings.map((name) => join(folder, name)) : []),
  ]);
  return inside.filter((path) => existsSync(path) && !isSymbolicLink(path) && !writable.includes(path));
}

/** A link cannot be a mount point, only its target can. */
function isSymbolicLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink();
}

const protectedFiles = ['.git', '.pawl', ...configFileNames];
const gitSettings = ['hooks', 'config', 'config.worktree', 'modules', 'commondir'];

export type SandboxErrorCode = 'relative' | 'missing' | 'home';

/** A sandbox policy that cannot be applied. The message is one line: what, where and what to do. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly code: SandboxErrorCode;
  readonly path: string;

  constructor(code: SandboxErrorCode, path: string, cause?: unknown) {
    super(`${sandboxErrorText[code]}: ${JSON.stringify(path)}. ${sandboxErrorAdvice[code]}`, { cause });
    this.code = code;
    this.path = path;
  }
}

const sandboxErrorText: Record<SandboxErrorCode, string> = {
  relative: 'The sandbox needs an absolute path',
  missing: 'The sandbox cannot mount a path that does not exist',
  home: 'The sandbox does not expose a folder that contains the home folder',
};

const sandboxErrorAdvice: Record<SandboxErrorCode, string> = {
  relative: 'Start it with /.',
  missing: 'Create it first, or omit it.',
  home: 'Work in a folder inside it, so that keys and passwords stay hidden.',
};
