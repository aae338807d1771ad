import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { scrubbedEnvironment } from '../sandbox/environment.ts';
import { openLauncher, type Launcher } from '../sandbox/launcher.ts';
import { runCommand, type CommandEnd } from '../sandbox/run-command.ts';

/** A repository as it was found before any tool ran. Paths are absolute. */
export type Repository = {
  readonly root: string;
  readonly gitFolder: string;
  /** Shared with other work trees of the same repository; the same as `gitFolder` where there are none. */
  readonly commonFolder: string;
  /** The user's own settings of git, among them what never to commit. */
  readonly settings: readonly string[];
};

export type GitOptions = {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly input?: string;
};

/** Runs git in a repository. */
export type Git = (args: readonly string[], options: GitOptions) => Promise<CommandEnd>;

/** Asks git something that makes it run nothing else. */
type Ask = (...args: readonly string[]) => Promise<CommandEnd>;

/** The repository a folder belongs to; or why there is none that could be used, in words. */
export async function findRepository(folder: string, timeoutMs: number): Promise<Repository | string> {
  const env = gitEnvironment();
  const ask: Ask = (...args) => runCommand({ launch: { file: 'git', args, env }, cwd: folder, timeoutMs });
  const places = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
  const found = await ask('rev-parse', '--path-format=absolute', ...places);
  const [root = '', gitFolder = '', commonFolder = ''] = found.stdout.split('\n');
  if (found.code !== 0) return found.stderr.trim().split('\n')[0] || `git ${found.what}`;
  if (!isInside(folder, root)) return 'the repository says that its files are somewhere else.';
  const isOwn = isInside(gitFolder, root) || (await agrees(ask, root, gitFolder));
  if (!isOwn || !isInside(gitFolder, commonFolder))
    return `.git leads to ${commonFolder}, which belongs to another folder.`;
  // Of the user's own settings, not of the repository's, which may name anything.
  const ignores = await ask('config', '--global', '--path', '--get', 'core.excludesFile');
  const config = env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const settings = [join(homedir(), '.gitconfig'), join(config, 'git'), ignores.stdout.trim()];
  return { root, gitFolder, commonFolder, settings: settings.filter((path) => existsSync(path)) };
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Whether a git folder that lies elsewhere, as that of a second work tree or of a submodule does, means this root too. */
async function agrees(ask: Ask, root: string, gitFolder: string): Promise<boolean> {
  const back = await readFile(join(gitFolder, 'gitdir'), 'utf8').catch(() => '');
  if (back.trim() === join(root, '.git')) return true;
  const named = await ask('config', '--file', join(gitFolder, 'config'), '--get', 'core.worktree');
  return named.code === 0;
}

/** Programs of its own that the repository wants run on files. The user's own settings may name such programs as well. */
export async function filtersOf(git: Git, timeoutMs: number): Promise<readonly string[]> {
  const pattern = '^filter\\..*\\.(clean|smudge|process)$';
  const found = await git(['config', '--local', '--includes', '--name-only', '--get-regexp', pattern], {
    timeoutMs,
  });
  return found.stdout.split('\n').filter((name) => name !== '');
}

/** What a repository says is to be run by itself is not run. */
const nothingByItself = [
  'core.fsmonitor=false',
  'commit.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
];
const noHooks = 'core.hooksPath=/dev/null';

export type GitSetting = {
  readonly repository: Repository;
  /** The part of the repository that tools may change. */
  readonly workspace: string;
  readonly launcher?: Launcher;
  readonly runsHooks: boolean;
};

export function createGit({ repository, workspace, launcher = openLauncher, runsHooks }: GitSetting): Git {
  const { root, gitFolder, commonFolder, settings } = repository;
  const config = [...nothingByItself, ...(runsHooks ? [] : [noHooks])].flatMap((each) => ['-c', each]);
  const confines = {
    cwd: root,
    writable: [...new Set([workspace, gitFolder, commonFolder])],
    readable: settings,
    network: false,
    env: gitEnvironment(),
  };
  return async (args, options) => {
    const launch = launcher.launch(['git', ...config, ...args], confines);
    const before = await locksIn(gitFolder);
    const end = await runCommand({ launch, cwd: root, outputBytesMax: statusBytesMax, ...options });
    // What is ended in a sandbox has no time to tidy up, and a lock that stays would stop every git after it.
    if (end.kind !== 'exited') await removeLocks(gitFolder, before);
    return end;
  };
}

/** More than this is not one step of anybody's work. */
export const statusBytesMax: number = 1024 * 1024;

/** File names are names, never patterns; nothing asks for a password; what git says is in one language. */
function gitEnvironment(): { readonly [name: string]: string } {
  const config = process.env['XDG_CONFIG_HOME'] ?? '';
  return {
    ...scrubbedEnvironment(),
    ...(isAbsolute(config) && { XDG_CONFIG_HOME: config }),
    GIT_LITERAL_PATHSPECS: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'true',
    LC_ALL: 'C',
  };
}

async function locksIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /^(?:index|next-index-\d+|HEAD)\.lock$/.test(name));
}

async function removeLocks(folder: string, before: readonly string[]): Promise<void> {
  const left = (await locksIn(folder)).filter((name) => !before.includes(name));
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
}
