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
    const rule = rules.findLast(
      (each) => (isFolder || !each.foldersOnly) && fits(each.names, names, pathPart),
    );
    return rule !== undefined && !rule.keeps;
  };
}

type Rule = { readonly names: readonly string[]; readonly foldersOnly: boolean; readonly keeps: boolean };

function parseRule(line: string): Rule | null {
  const rule = line.trim();
  if (rule === '' || rule.startsWith('#')) return null;
  const keeps = rule.startsWith('!');
  const foldersOnly = rule.endsWith('/');
  const glob = rule.slice(keeps ? 1 : 0, foldersOnly ? -1 : undefined);
  // A pattern with a slash in it is fixed to the root; one without fits a name at any depth.
  const names = glob.includes('/') ? glob.replace(/^\//, '').split('/') : ['**', glob];
  return { names, foldersOnly, keeps };
}

/** What one place of a pattern means: any number of items, or whether it fits one item. */
type Part = {
  readonly isAnyNumber: (pattern: string) => boolean;
  readonly fitsOne: (pattern: string, item: string) => boolean;
};

const pathPart: Part = {
  isAnyNumber: (pattern) => pattern === '**',
  fitsOne: (pattern, name) => fits(pattern.match(/\[\w+\]|./gsu) ?? [], Array.from(name), namePart),
};

const namePart: Part = {
  isAnyNumber: (pattern) => pattern === '*',
  fitsOne: (pattern, char) =>
    pattern === '?' || (pattern.length > 2 ? pattern.slice(1, -1).includes(char) : pattern === char),
};

/**
 * Matches with wildcards in time proportional to pattern times items. Regular expressions made from the patterns of a
 * folder we do not know could take for ever; going back to the last wildcard only is enough and cannot.
 */
function fits(patterns: readonly string[], items: readonly string[], part: Part): boolean {
  let at = 0;
  let wildcard: { readonly next: number; taken: number } | null = null;
  for (let index = 0; index < items.length;) {
    const pattern = patterns[at];
    if (pattern !== undefined && part.isAnyNumber(pattern)) {
      wildcard = { next: ++at, taken: index };
    } else if (pattern !== undefined && part.fitsOne(pattern, items[index] ?? '')) {
      at++;
      index++;
    } else if (wildcard !== null) {
      at = wildcard.next;
      index = ++wildcard.taken;
    } else {
      return false;
    }
  }
  return patterns.slice(at).every(part.isAnyNumber);
}
