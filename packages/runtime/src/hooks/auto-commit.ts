import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { CompletedTool } from '@pawl/core';
import { toSlashes } from '../platform/platform.ts';
import { toPrintableLine } from '../text/one-line.ts';
import type { CommandSandbox } from '../sandbox/command-sandbox.ts';
import type { CommandResult } from '../sandbox/run-command.ts';
import { getErrorMessage } from '../text/one-line.ts';
import {
  parseGitStatus,
  gitStatusArguments,
  readFileVersions,
  getExclusionReason,
  type GitFileChange,
} from './changes.ts';
import { formatCommitMessage } from './commit-message.ts';
import {
  createGitRunner,
  listGitFilters,
  findRepository,
  statusBytesMax,
  type GitRunner,
  type GitRepository,
} from './git.ts';

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
