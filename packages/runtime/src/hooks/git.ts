import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
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

/** The repository a folder belongs to; or why there is none, in words. */
export async function findRepository(folder: string, timeoutMs: number): Promise<Repository | string> {
  const env = gitEnvironment();
  const ask = (...args: readonly string[]): Promise<CommandEnd> =>
    runCommand({ launch: { file: 'git', args, env }, cwd: folder, timeoutMs });
  const places = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
  const found = await ask('rev-parse', '--path-format=absolute', ...places);
  const [root, gitFolder, commonFolder] = found.stdout.split('\n');
  if (found.kind === 'not-started') return `git ${found.what}`;
  if (found.code !== 0 || root === undefined || gitFolder === undefined || commonFolder === undefined)
    return found.stderr.trim().split('\n')[0] ?? '';
  const ignores = await ask('config', '--path', '--get', 'core.excludesFile');
  const config = env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const settings = [join(homedir(), '.gitconfig'), join(config, 'git'), ignores.stdout.trim()];
  return { root, gitFolder, commonFolder, settings: settings.filter((path) => existsSync(path)) };
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
