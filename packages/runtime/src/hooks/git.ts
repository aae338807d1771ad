import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, normalize } from 'node:path';
import { getNullDevice } from '../platform/platform.ts';
import { scrubEnvironment, runCommand, type CommandResult } from '../sandbox/run-command.ts';
import { passthroughSandbox, type CommandSandbox } from '../sandbox/command-sandbox.ts';
import { isInsideRoot } from '../tools/workspace.ts';

/** A repository as found before any tool ran. Paths are absolute. */
export type GitRepository = {
  readonly root: string;
  readonly gitFolder: string;
  /** Shared by all worktrees of the repository; equal to `gitFolder` if there is only one. */
  readonly commonFolder: string;
  /** Paths of the user's git configuration, including the global ignore file. */
  readonly settings: readonly string[];
};

export type GitOptions = {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly input?: string;
};

export type GitRunner = (args: readonly string[], options: GitOptions) => Promise<CommandResult>;

/** Runs a git query that starts no other program. */
type GitQuery = (...args: readonly string[]) => Promise<CommandResult>;

/** Finds the repository of a folder; returns the reason if there is none that can be used. */
export async function findRepository(folder: string, timeoutMs: number): Promise<GitRepository | string> {
  const env = buildGitEnvironment();
  const query: GitQuery = (...args) =>
    runCommand({ sandboxLaunch: { file: 'git', args, env }, cwd: folder, timeoutMs });
  const pathOptions = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
  const result = await query('rev-parse', '--path-format=absolute', ...pathOptions);
  const [root = '', gitFolder = '', commonFolder = ''] = parseGitPaths(result.stdout);
  if (result.code !== 0) return result.stderr.trim().split('\n')[0] || `git ${result.summary}`;
  if (!isInsideRoot(root, folder)) return 'the work tree of the repository is outside this folder.';
  const isOwn = isInsideRoot(root, gitFolder) || (await isLinkedWorktree(query, root, gitFolder));
  if (!isOwn || !isInsideRoot(commonFolder, gitFolder))
    return `.git points to ${commonFolder}, which belongs to another folder.`;
  // Read from the user's configuration, because the repository's own may name any path.
  const ignores = await query('config', '--global', '--path', '--get', 'core.excludesFile');
  const config = env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const settings = [join(homedir(), '.gitconfig'), join(config, 'git'), ignores.stdout.trim()];
  return { root, gitFolder, commonFolder, settings: settings.filter((path) => existsSync(path)) };
}

/** Parses the paths that git prints, one per line. On Windows, git separates names with `/`. */
export function parseGitPaths(
  text: string,
  toNative: (path: string) => string = normalize,
): readonly string[] {
  return text.split(/\r?\n/).map((line) => (line === '' ? '' : toNative(line)));
}

/** Whether a git folder outside the root, as in a linked worktree or a submodule, belongs to this root. */
async function isLinkedWorktree(query: GitQuery, root: string, gitFolder: string): Promise<boolean> {
  const gitdirFile = await readFile(join(gitFolder, 'gitdir'), 'utf8').catch(() => '');
  if (normalize(gitdirFile.trim()) === join(root, '.git')) return true;
  const worktree = await query('config', '--file', join(gitFolder, 'config'), '--get', 'core.worktree');
  return worktree.code === 0;
}

/** Lists the filter programs of the repository's own configuration; those of the user's configuration are trusted. */
export async function listGitFilters(git: GitRunner, timeoutMs: number): Promise<readonly string[]> {
  const pattern = '^filter\\..*\\.(clean|smudge|process)$';
  const result = await git(['config', '--show-scope', '--name-only', '--get-regexp', pattern], { timeoutMs });
  // Exit code 1 means that no key matches.
  if (result.code !== 0 && result.code !== 1) return ['unknown: git could not read its configuration'];
  return result.stdout.split('\n').flatMap((line) => /^(?:local|worktree)\t(.+)$/.exec(line)?.[1] ?? []);
}

/** Disables everything that a repository's configuration could make git run on its own. */
const disabledGitFeatures = [
  'core.fsmonitor=false',
  'commit.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
];
/**
 * In a partial clone, git fetches missing objects on its own, with the programs of the repository's configuration. No
 * protocol has the name `none`; older versions of git know only this variable.
 */
const noRemotes = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };
const noHooks = `core.hooksPath=${getNullDevice(process.platform)}`;

export type GitRunnerOptions = {
  readonly repository: GitRepository;
  /** The part of the repository that tools may change. */
  readonly workspace: string;
  readonly sandbox?: CommandSandbox;
  readonly runsHooks: boolean;
};

export function createGitRunner({
  repository,
  workspace,
  sandbox = passthroughSandbox,
  runsHooks,
}: GitRunnerOptions): GitRunner {
  const { root, gitFolder, commonFolder, settings } = repository;
  const config = [...disabledGitFeatures, ...(runsHooks ? [] : [noHooks])].flatMap((each) => ['-c', each]);
  const policy = {
    cwd: root,
    writable: [...new Set([workspace, gitFolder, commonFolder])],
    readable: settings,
    network: false,
    env: { ...buildGitEnvironment(), ...(runsHooks ? {} : noRemotes) },
  };
  return async (args, options) => {
    const sandboxLaunch = sandbox.launch(['git', ...config, ...args], policy);
    const before = await listGitLocks(gitFolder);
    const result = await runCommand({ sandboxLaunch, cwd: root, outputBytesMax: statusBytesMax, ...options });
    // A killed git cannot clean up, and a stale lock would block every later git command.
    if (result.kind !== 'exited') await removeGitLocks(gitFolder, before);
    return result;
  };
}

/** A larger status output exceeds what one step should commit. */
export const statusBytesMax: number = 1024 * 1024;

/** Literal pathspecs, no password prompts, and messages in English. */
function buildGitEnvironment(): { readonly [name: string]: string } {
  const config = process.env['XDG_CONFIG_HOME'] ?? '';
  return {
    ...scrubEnvironment(),
    ...(isAbsolute(config) && { XDG_CONFIG_HOME: config }),
    GIT_LITERAL_PATHSPECS: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'true',
    LC_ALL: 'C',
  };
}

async function listGitLocks(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /^(?:index|next-index-\d+|HEAD)\.lock$/.test(name));
}

async function removeGitLocks(folder: string, before: readonly string[]): Promise<void> {
  const added = (await listGitLocks(folder)).filter((name) => !before.includes(name));
  await Promise.all(added.map((name) => rm(join(folder, name), { force: true })));
}
