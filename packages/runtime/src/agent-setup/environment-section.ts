import { readdir } from 'node:fs/promises';
import { createGitRunner, findRepository, listGitFilters, statusBytesMax } from '../hooks/git.ts';
import { getPlatformName } from '../platform/platform.ts';
import { getShellName } from '../platform/programs.ts';
import { toPrintableLine } from '../text/one-line.ts';

/** Timeout of each git command. */
const gitTimeoutMs = 5_000;

const entriesMax = 60;
const nameCharsMax = 100;

/** Describes where an agent works: date, platform, folder, git state and the entries of the folder. */
export async function describeEnvironment(
  root: string,
  { at, signal }: { readonly at: number; readonly signal: AbortSignal },
): Promise<string> {
  const [git, entries] = await Promise.all([describeGitState(root, signal), listEntries(root)]);
  return [
    '## Environment',
    'As it was when this agent started or resumed the session; it may have changed since.',
    `- Date: ${formatLocalDate(at)}`,
    `- Platform: ${getPlatformName(process.platform)} (${process.arch})`,
    `- Shell: ${getShellName(process.platform)}`,
    `- Folder: ${toPrintableLine(root, 1_000)}`,
    ...git.map((line) => `- ${line}`),
    `- Entries of the folder: ${entries}`,
  ].join('\n');
}

/** The date in the local time zone, such as 2031-02-03. */
function formatLocalDate(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 10);
}

/** No lines without a repository that git accepts. */
async function describeGitState(root: string, signal: AbortSignal): Promise<readonly string[]> {
  const repository = await findRepository(root, gitTimeoutMs);
  if (typeof repository === 'string') return [];
  const git = createGitRunner({ repository, workspace: root, runsHooks: false });
  const options = { timeoutMs: gitTimeoutMs, signal };
  const head = await git(['symbolic-ref', '--quiet', '--short', 'HEAD'], options);
  const branch = toPrintableLine(head.stdout.trim(), nameCharsMax);
  const branchLine = `Git branch: ${head.code === 0 ? branch : head.code === 1 ? 'none (detached HEAD)' : 'unknown'}`;
  // Git would run a filter program on files that look modified.
  const [filter] = await listGitFilters(git, gitTimeoutMs);
  if (filter !== undefined) {
    return [
      branchLine,
      'Git status: unknown; it was not read because the repository configures a filter program',
    ];
  }
  const status = await git(['--no-optional-locks', ...statusArguments], options);
  return [
    branchLine,
    status.code === 0 ? formatStatus(status.stdout) : `Git status: unknown; git ${status.summary}`,
  ];
}

const statusArguments: readonly string[] = [
  'status',
  '--porcelain=v1',
  '--no-renames',
  '--untracked-files=normal',
  '--ignore-submodules=all',
];

function formatStatus(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '');
  const untracked = lines.filter((line) => line.startsWith('??')).length;
  const least = Buffer.byteLength(text) >= statusBytesMax ? 'at least ' : '';
  return `Git status: ${least}${lines.length - untracked} modified, ${least}${untracked} untracked`;
}

async function listEntries(root: string): Promise<string> {
  const entries = await readdir(root, { withFileTypes: true });
  const names = entries
    .filter(({ name }) => name !== '.git')
    .map((entry) => toPrintableLine(entry.name, nameCharsMax) + (entry.isDirectory() ? '/' : ''))
    .toSorted();
  const rest = names.length - entriesMax;
  const shown = names.slice(0, entriesMax).join(', ');
  if (names.length === 0) return 'none';
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
