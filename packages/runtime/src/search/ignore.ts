import { compileNames } from './glob.ts';

/** Whether a path, relative to the root and with `/` separators, is excluded from the index. */
export type IgnoreFilter = (path: string, isFolder: boolean) => boolean;

/** Version control, dependencies, build output and caches: large and irrelevant to searches. */
const ignoredFolders: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  'bower_components',
  '.venv',
  'venv',
  '__pycache__',
  'dist',
  'build',
  'out',
  'target',
  'coverage',
  '.next',
  '.nuxt',
  '.turbo',
  '.cache',
  '.gradle',
  '.terraform',
  '.tox',
  '.mypy_cache',
  '.pytest_cache',
  '.pawl',
]);

/**
 * The output of `pawl run --trace`. An agent that searches its own prompts would find every question there, but no
 * answer.
 */
const ownTracePattern = /^logs\/agent_trace\.log(?:\.\d+)?$/;

/** Limited because each path is tested against each rule; real files have a few dozen. */
const rulesMax = 1_000;

/** `gitignore` is the text of the root's `.gitignore`, or empty. As in git, the last matching rule wins. */
export function createIgnoreFilter(gitignore: string): IgnoreFilter {
  const rules = gitignore
    .split('\n')
    .map(parseIgnoreRule)
    .filter((rule) => rule !== null)
    .slice(0, rulesMax);
  return (path, isFolder) => {
    const names = path.split('/');
    if (isFolder && ignoredFolders.has(names.at(-1) ?? '')) return true;
    if (ownTracePattern.test(path)) return true;
    const rule = rules.findLast((each) => (isFolder || !each.foldersOnly) && each.matches(names));
    return rule !== undefined && !rule.isNegated;
  };
}

type IgnoreRule = {
  readonly matches: (names: readonly string[]) => boolean;
  readonly foldersOnly: boolean;
  readonly isNegated: boolean;
};

/** Longer than any path. */
const ruleLengthMax = 10_000;

function parseIgnoreRule(line: string): IgnoreRule | null {
  const trimmed = line.trimEnd();
  // As in git, spaces at the end do not count unless a backslash escapes them.
  const rule = trimmed.endsWith('\\') && line[trimmed.length] === ' ' ? `${trimmed} ` : trimmed;
  if (rule === '' || rule.startsWith('#') || rule.length > ruleLengthMax) return null;
  const isNegated = rule.startsWith('!');
  const foldersOnly = rule.endsWith('/');
  const glob = rule.slice(isNegated ? 1 : 0, foldersOnly ? -1 : undefined);
  // A pattern with a slash is anchored to the root; one without matches at any depth.
  const names = (glob.includes('/') ? glob.replace(/^\//, '') : `**/${glob}`).split('/');
  // A final `**` matches what is in the folder, not the folder, so that a later rule can include a file in it.
  return { matches: compileNames(names.at(-1) === '**' ? [...names, '*'] : names), foldersOnly, isNegated };
}
