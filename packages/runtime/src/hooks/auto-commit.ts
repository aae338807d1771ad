import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { CompletedTool } from '@pawl/core';
import { oneLine } from '../schema/one-line.ts';
import type { Launcher } from '../sandbox/launcher.ts';
import type { CommandEnd } from '../sandbox/run-command.ts';
import { messageOf } from '../work.ts';
import { readStatus, statusArguments, versionsOf, whyLeftOut, type Change } from './changes.ts';
import { commitMessage } from './commit-message.ts';
import { createGit, filtersOf, findRepository, statusBytesMax, type Git, type Repository } from './git.ts';

export type AutoCommitOptions = {
  /** Whether the repository's own hooks run, such as `pre-commit`. They do not unless asked for. */
  readonly runsHooks?: boolean;
  /** How long each run of git may take. */
  readonly timeoutMs?: number;
};

type Setting = AutoCommitOptions & {
  readonly workspace: string;
  readonly launcher?: Launcher;
  readonly report: (line: string) => void;
};

export type AutoCommit = (completed: readonly CompletedTool[], signal: AbortSignal) => Promise<boolean>;

/**
 * Commits what changed since the last step. What the user had changed before, staged or not, stays as it is until a tool
 * changes it. It never stands in the way of the work: what cannot be committed is reported and passed over.
 *
 * The repository is looked at now, before any tool runs: one that a tool makes up later is not the user's.
 */
export async function createAutoCommit(setting: Setting): Promise<AutoCommit> {
  const tell = teller(setting.report);
  const desk = await open(setting).catch(messageOf);
  return async (completed, signal) => {
    try {
      const said = typeof desk === 'string' ? desk : await commit(desk, completed, { signal, tell });
      if (typeof said === 'string') tell(`Nothing was committed: ${said}`);
      return said === true;
    } catch (error) {
      tell(`Nothing was committed: ${messageOf(error)}`);
      return false;
    }
  };
}

/** Says each thing once: what goes wrong at one step goes wrong at the next as well. */
function teller(report: (line: string) => void): (line: string) => void {
  const said = new Set<string>();
  return (line) => {
    if (said.size < 100 && !said.has(line)) report(oneLine(line, 500));
    said.add(line);
  };
}

type Desk = {
  readonly git: Git;
  readonly repository: Repository;
  /** Where in the repository the workspace is; empty when it is the whole of it. */
  readonly part: readonly string[];
  /** What the user had changed, and which version of it. */
  readonly before: ReadonlyMap<string, string>;
  readonly timeoutMs: number;
};

async function open(setting: Setting): Promise<Desk | string> {
  const { launcher, timeoutMs = 30_000, runsHooks = false } = setting;
  const workspace = await realpath(setting.workspace);
  const repository = await findRepository(workspace, timeoutMs);
  if (typeof repository === 'string') return repository;
  const git = createGit({ repository, workspace, runsHooks, ...(launcher && { launcher }) });
  const [filter] = launcher?.kind === 'bubblewrap' ? [] : await filtersOf(git, timeoutMs);
  if (filter !== undefined)
    return `the repository wants a program of its own run (${filter}), and there is no sandbox to run it in.`;
  const inside = relative(repository.root, workspace);
  const part = inside === '' ? [] : ['--', inside];
  const desk = { git, repository, part, timeoutMs, before: new Map<string, string>() };
  const changes = await changesIn(desk, AbortSignal.timeout(timeoutMs));
  return typeof changes === 'string'
    ? changes
    : { ...desk, before: await versionsOf(repository.root, changes) };
}

async function changesIn(
  { git, part, timeoutMs }: Desk,
  signal: AbortSignal,
): Promise<readonly Change[] | string> {
  const status = await git(['--no-optional-locks', ...statusArguments, ...part], { timeoutMs, signal });
  if (status.code !== 0) return explain(status);
  if (Buffer.byteLength(status.stdout) >= statusBytesMax)
    return 'too many files changed. Let .gitignore name what need not be kept.';
  return readStatus(status.stdout);
}

function explain({ what, stderr }: CommandEnd): string {
  const said = stderr.trim();
  return said === '' ? `git ${what}` : `git ${what}: ${oneLine(said, 300)}`;
}

type Committing = { readonly signal: AbortSignal; readonly tell: (line: string) => void };

/** Resolves to whether there was anything to commit, or to why it could not be. */
async function commit(
  desk: Desk,
  completed: readonly CompletedTool[],
  { signal, tell }: Committing,
): Promise<boolean | string> {
  const { git, repository, timeoutMs } = desk;
  const underWay = unfinished.find((name) => existsSync(join(repository.gitFolder, name)));
  if (underWay !== undefined) return `a merge, rebase or the like is under way (${underWay}).`;
  const changes = await changesIn(desk, signal);
  if (typeof changes === 'string') return changes;
  const mine = await changedSince(desk, changes);
  const kept = mine.filter((change) => whyLeftOut(change) === null);
  for (const change of mine.filter((each) => !kept.includes(each)))
    tell(`Not committed, because ${whyLeftOut(change)}: ${oneLine(change.path, 200)}`);
  if (kept.length === 0) return false;
  const fresh = listOf(kept.filter(({ isNew }) => isNew));
  const run = (args: readonly string[], input = ''): Promise<CommandEnd> =>
    git(args, { timeoutMs, signal, input });
  const added = fresh === '' ? null : await run(['add', '--intent-to-add', ...fromInput], fresh);
  if (added !== null && added.code !== 0) return explain(added);
  const message = commitMessage(
    completed,
    kept.map(({ path }) => path),
  );
  const who = await identity(run);
  const end = await run([...who, 'commit', '--quiet', '--only', '-m', message, ...fromInput], listOf(kept));
  if (end.code === 0) return true;
  // The index is the user's: what was noted in it for this commit goes out again, even when the work was called off.
  if (fresh !== '') await git(['rm', '--cached', '--quiet', ...fromInput], { timeoutMs, input: fresh });
  return explain(end);
}

const unfinished = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];

const fromInput = ['--pathspec-from-file=-', '--pathspec-file-nul'];

async function changedSince(
  { repository, before }: Desk,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  const now = await versionsOf(repository.root, changes);
  return changes.filter(({ path }) => before.get(path) !== now.get(path));
}

function listOf(changes: readonly Change[]): string {
  return changes.map(({ path }) => `${path}\0`).join('');
}

/** Where nobody said who commits, Pawl does. */
async function identity(run: (args: readonly string[]) => Promise<CommandEnd>): Promise<readonly string[]> {
  const names = [
    ['user.name', 'Pawl'],
    ['user.email', 'pawl@localhost'],
  ] as const;
  const missing = await Promise.all(
    names.map(async ([key, value]) => {
      const found = await run(['config', '--get', key]);
      return found.code === 0 && found.stdout.trim() !== '' ? [] : ['-c', `${key}=${value}`];
    }),
  );
  return missing.flat();
}
