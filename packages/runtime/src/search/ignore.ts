import { compilePath, fitsPath, type PathPattern } from './glob.ts';

/** Decides whether a path, relative to the root and with `/` between names, is left out of the index. */
export type Ignore = (path: string, isFolder: boolean) => boolean;

/** Version control, installed dependencies, build output and caches: nobody asks about them, and they are large. */
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

/** Where `pawl run --trace` writes. Whoever reads its own prompts finds every question in them, and no answer. */
const ownTrace = /^logs\/agent_trace\.log(?:\.\d+)?$/;

/** Each path is held against each rule; people write a few dozen. */
const rulesMax = 1_000;

/** `gitignore` is the text of the root's `.gitignore`, or empty. As there, the last rule that fits decides. */
export function createIgnore(gitignore: string): Ignore {
  const rules = gitignore
    .split('\n')
    .map(parseRule)
    .filter((rule) => rule !== null)
    .slice(0, rulesMax);
  return (path, isFolder) => {
    const names = path.split('/');
    if (isFolder && ignoredFolders.has(names.at(-1) ?? '')) return true;
    if (ownTrace.test(path)) return true;
    const rule = rules.findLast((each) => (isFolder || !each.foldersOnly) && fitsPath(each.names, names));
    return rule !== undefined && !rule.keeps;
  };
}

type Rule = { readonly names: PathPattern; readonly foldersOnly: boolean; readonly keeps: boolean };

function parseRule(line: string): Rule | null {
  const rule = line.trim();
  if (rule === '' || rule.startsWith('#')) return null;
  const keeps = rule.startsWith('!');
  const foldersOnly = rule.endsWith('/');
  const glob = rule.slice(keeps ? 1 : 0, foldersOnly ? -1 : undefined);
  // A pattern with a slash in it is fixed to the root; one without fits a name at any depth.
  const names = compilePath(glob.includes('/') ? glob.replace(/^\//, '') : `**/${glob}`);
  return { names, foldersOnly, keeps };
}
