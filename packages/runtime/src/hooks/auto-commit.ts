import { existsSync } from 'node:fs';
import { realpath, lstat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { CompletedTool } from '@pawl/core';
import { toSlashes } from '../platform/platform.ts';
import { toPrintableLine, getErrorMessage } from '../text/one-line.ts';
import type { CommandSandbox } from '../sandbox/command-sandbox.ts';
import type { CommandResult } from '../sandbox/run-command.ts';
import {
  createGitRunner,
  listGitFilters,
  findRepository,
  statusBytesMax,
  type GitRunner,
  type GitRepository,
} from './git.ts';
import { isSecretFile } from '../search/walk.ts';
import { isLikelySecret } from '../data-files/secrets.ts';

export type AutoCommitOptions = {
  /** Whether the repository's own hooks run, such as `pre-commit`; off by default. */
  readonly runsHooks?: boolean;
  /** Timeout of each git command. */
  readonly timeoutMs?: number;
};

type AutoCommitContext = AutoCommitOptions & {
  readonly workspace: string;
  readonly sandbox?: CommandSandbox;
  readonly report: (line: string) => void;
};

export type AutoCommit = (completed: readonly CompletedTool[], signal: AbortSignal) => Promise<boolean>;

/**
 * Commits the changes made since the last step. The user's earlier changes, staged or not, stay untouched until a tool
 * changes those files. Failures are reported and never block the work.
 *
 * The repository is located before any tool runs, so that a repository created by a tool is never used.
 */
export async function createAutoCommit(context: AutoCommitContext): Promise<AutoCommit> {
  const report = createDedupedReporter(context.report);
  const workspace = await openCommitWorkspace(context).catch(getErrorMessage);
  return async (completed, signal) => {
    try {
      const outcome =
        typeof workspace === 'string'
          ? workspace
          : await commitChanges(workspace, completed, { signal, report });
      if (typeof outcome === 'string') report(`Nothing was committed: ${outcome}`);
      return outcome === true;
    } catch (error) {
      report(`Nothing was committed: ${getErrorMessage(error)}`);
      return false;
    }
  };
}

/** Reports each message once, because a problem usually repeats at every step. */
function createDedupedReporter(report: (line: string) => void): (line: string) => void {
  const reported = new Set<string>();
  return (line) => {
    if (reported.size < 100 && !reported.has(line)) report(toPrintableLine(line, 500));
    reported.add(line);
  };
}

type CommitWorkspace = {
  readonly git: GitRunner;
  readonly repository: GitRepository;
  /** Pathspec arguments for the workspace within the repository; empty if it is the whole repository. */
  readonly pathspec: readonly string[];
  /** The user's uncommitted changes with their file versions. */
  readonly before: ReadonlyMap<string, string>;
  readonly timeoutMs: number;
};

async function openCommitWorkspace(context: AutoCommitContext): Promise<CommitWorkspace | string> {
  const { sandbox, timeoutMs = 30_000, runsHooks = false } = context;
  const workspace = await realpath(context.workspace);
  const repository = await findRepository(workspace, timeoutMs);
  if (typeof repository === 'string') return repository;
  const git = createGitRunner({ repository, workspace, runsHooks, ...(sandbox && { sandbox }) });
  const [filter] = sandbox?.kind === 'bubblewrap' ? [] : await listGitFilters(git, timeoutMs);
  if (filter !== undefined)
    return `the repository configures a filter program (${filter}), which requires a sandbox.`;
  const subfolder = toSlashes(relative(repository.root, workspace));
  const pathspec = subfolder === '' ? [] : ['--', subfolder];
  const opened = { git, repository, pathspec, timeoutMs, before: new Map<string, string>() };
  const changes = await listChanges(opened, AbortSignal.timeout(timeoutMs));
  return typeof changes === 'string'
    ? changes
    : { ...opened, before: await readFileVersions(repository.root, changes) };
}

async function listChanges(
  { git, pathspec, timeoutMs }: CommitWorkspace,
  signal: AbortSignal,
): Promise<readonly GitFileChange[] | string> {
  const status = await git(['--no-optional-locks', ...gitStatusArguments, ...pathspec], {
    timeoutMs,
    signal,
  });
  if (status.code !== 0) return describeGitFailure(status);
  if (Buffer.byteLength(status.stdout) >= statusBytesMax)
    return 'too many files changed. Add generated files to .gitignore.';
  return parseGitStatus(status.stdout);
}

function describeGitFailure({ summary, stderr }: CommandResult): string {
  const errorText = stderr.trim();
  return errorText === '' ? `git ${summary}` : `git ${summary}: ${toPrintableLine(errorText, 300)}`;
}

type CommitOptions = { readonly signal: AbortSignal; readonly report: (line: string) => void };

/** Resolves to whether there was anything to commit, or to the reason why committing failed. */
async function commitChanges(
  workspace: CommitWorkspace,
  completed: readonly CompletedTool[],
  { signal, report }: CommitOptions,
): Promise<boolean | string> {
  const { git, repository, timeoutMs } = workspace;
  const stateFile = mergeStateFiles.find((name) => existsSync(join(repository.gitFolder, name)));
  if (stateFile !== undefined) return `a merge, rebase, cherry-pick or revert is in progress (${stateFile}).`;
  const changes = await listChanges(workspace, signal);
  if (typeof changes === 'string') return changes;
  const newChanges = await selectNewChanges(workspace, changes);
  const committable = newChanges.filter((change) => getExclusionReason(change) === null);
  for (const change of newChanges.filter((each) => !committable.includes(each)))
    report(`Not committed, because ${getExclusionReason(change)}: ${toPrintableLine(change.path, 200)}`);
  if (committable.length === 0) return false;
  const newPathspec = formatPathspec(committable.filter(({ isNew }) => isNew));
  const run = (args: readonly string[], input = ''): Promise<CommandResult> =>
    git(args, { timeoutMs, signal, input });
  const added =
    newPathspec === '' ? null : await run(['add', '--intent-to-add', ...pathspecArguments], newPathspec);
  if (added !== null && added.code !== 0) return describeGitFailure(added);
  const message = formatCommitMessage(
    completed,
    committable.map(({ path }) => path),
  );
  const identity = await buildIdentityArguments(run);
  const result = await run(
    [...identity, 'commit', '--quiet', '--only', '-m', message, ...pathspecArguments],
    formatPathspec(committable),
  );
  if (result.code === 0) return true;
  // Restore the user's index by removing the intent-to-add entries, even if the work was cancelled.
  if (newPathspec !== '')
    await git(['rm', '--cached', '--quiet', ...pathspecArguments], { timeoutMs, input: newPathspec });
  return describeGitFailure(result);
}

const mergeStateFiles = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];

const pathspecArguments = ['--pathspec-from-file=-', '--pathspec-file-nul'];

async function selectNewChanges(
  { repository, before }: CommitWorkspace,
  changes: readonly GitFileChange[],
): Promise<readonly GitFileChange[]> {
  const now = await readFileVersions(repository.root, changes);
  return changes.filter(({ path }) => before.get(path) !== now.get(path));
}

function formatPathspec(changes: readonly GitFileChange[]): string {
  return changes.map(({ path }) => `${path}\0`).join('');
}

/** Falls back to Pawl as the committer if git has no identity configured. */
async function buildIdentityArguments(
  run: (args: readonly string[]) => Promise<CommandResult>,
): Promise<readonly string[]> {
  const names = [
    ['user.name', 'Pawl'],
    ['user.email', 'pawl@localhost'],
  ] as const;
  const missing = await Promise.all(
    names.map(async ([key, value]) => {
      const result = await run(['config', '--get', key]);
      return result.code === 0 && result.stdout.trim() !== '' ? [] : ['-c', `${key}=${value}`];
    }),
  );
  return missing.flat();
}

/** A file that differs from the last commit, as listed by `git status --porcelain -z`. */
type GitFileChange = { readonly path: string; readonly isNew: boolean };

const gitStatusArguments: readonly string[] = [
  'status',
  '--porcelain=v1',
  '-z',
  '--no-renames',
  '--untracked-files=all',
  '--ignore-submodules=all',
];

/** Parses the output of git status. Nested repositories appear as folders and are skipped. */
function parseGitStatus(text: string): readonly GitFileChange[] {
  return text
    .split('\0')
    .filter((entry) => entry.length > 3 && !entry.endsWith('/'))
    .map((entry) => ({ path: entry.slice(3), isNew: entry.startsWith('??') }));
}

/** Fingerprints each file from its metadata, without reading its contents. */
async function readFileVersions(
  root: string,
  changes: readonly GitFileChange[],
): Promise<ReadonlyMap<string, string>> {
  const versions = changes.map(async ({ path }): Promise<[string, string]> => {
    const stats = await lstat(join(root, path)).catch(() => null);
    return [path, stats === null ? 'gone' : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.mode}`];
  });
  return new Map(await Promise.all(versions));
}

/** Returns why a file must not be committed; null if it may be. */
function getExclusionReason(change: GitFileChange): string | null {
  // A file that is already in the history is no longer secret.
  if (change.isNew && isSecretFile(change.path)) return 'it may contain a secret';
  // Its name cannot be passed to git unambiguously.
  return change.path.includes('\ufffd') ? 'its name is not valid UTF-8' : null;
}

const subjectMax = 72;
const pathsShown = 20;

/** Formats a commit message that names the tools and the files, but no file contents. */
function formatCommitMessage(completed: readonly CompletedTool[], paths: readonly string[]): string {
  const names = [...new Set(completed.filter(({ ok }) => ok).map(({ tool }) => sanitizeToolName(tool)))];
  const tools = names.length === 0 ? 'pawl' : names.join(', ');
  const [first = ''] = paths;
  const files = paths.length === 1 ? formatCommitPath(first) : `${paths.length} files`;
  const subject = toPrintableLine(`${toPrintableLine(tools, 40)}: ${files}`, subjectMax);
  const shown = paths.slice(0, pathsShown).map((path) => `- ${formatCommitPath(path)}`);
  const more = paths.length > pathsShown ? [`- and ${paths.length - pathsShown} more`] : [];
  return [subject, '', ...shown, ...more, ''].join('\n');
}

/** Models may invent tool names; anything that is not a valid name is replaced. */
function sanitizeToolName(tool: string): string {
  return /^[\w.:-]{1,64}$/.test(tool) && !mayBeSecret(tool) ? tool : 'tool';
}

function formatCommitPath(path: string): string {
  return mayBeSecret(path) ? '(a name that may be a secret)' : toPrintableLine(path, 200);
}

/** Detects keys of well-known services and any long alphanumeric string that could be a key. */
function mayBeSecret(text: string): boolean {
  if (isLikelySecret(text)) return true;
  return (text.match(/[A-Za-z0-9+=_-]{32,}/g) ?? []).some((run) => /\d/.test(run) && /[A-Za-z]/.test(run));
}
