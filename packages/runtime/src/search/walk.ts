import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compileNames } from './glob.ts';
import type { IndexLimits } from './limits.ts';

export type SkipReason =
  | 'too-large'
  | 'binary'
  | 'unreadable'
  | 'symlink'
  | 'special'
  /** Its name suggests keys or passwords. */
  | 'secret'
  | 'too-deep'
  /** This path and all later ones: the index is full. */
  | 'limit-reached';

/** A file or folder that should have been read but was not. */
export type SkippedPath = { readonly path: string; readonly reason: SkipReason };

export type WalkEntry =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'ignored'; readonly path: string }
  | { readonly kind: 'skip'; readonly skip: SkippedPath };

type WalkOptions = {
  readonly root: string;
  readonly ignore: IgnoreFilter;
  readonly limits: IndexLimits;
};

/**
 * Walks everything below the root: files before subfolders, names in code unit order. The same folder gives the same
 * walk everywhere, and if a limit ends it early, the paths nearest to the root have been visited. It opens only folders
 * and follows no symbolic links. Throws if the root itself cannot be listed.
 */
export async function* walkTree(tree: WalkOptions): AsyncGenerator<WalkEntry, void, undefined> {
  let entries = 0;
  const pending: { readonly path: string; readonly depth: number }[] = [{ path: '', depth: 0 }];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const { path, depth } = folder;
    const listed = await listFolder(tree.root, path);
    if (listed === null) yield createSkip(path, 'unreadable');
    const folders: string[] = [];
    for (const entry of listed ?? []) {
      const child = path === '' ? entry.name : `${path}/${entry.name}`;
      if (++entries > tree.limits.entries) return yield createSkip(child, 'limit-reached');
      if (tree.ignore(child, entry.isDirectory())) yield { kind: 'ignored', path: child };
      else if (!entry.isDirectory()) yield classifyEntry(child, entry);
      else if (depth + 1 > tree.limits.depth) yield createSkip(child, 'too-deep');
      else folders.push(child);
    }
    for (const child of folders.toReversed()) pending.push({ path: child, depth: depth + 1 });
  }
}

/** Returns null if a folder is gone or inaccessible; throws for the root. */
async function listFolder(root: string, path: string): Promise<readonly Dirent[] | null> {
  try {
    const entries = await readdir(join(root, path), { withFileTypes: true });
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (path === '') throw error;
    return null;
  }
}

function classifyEntry(path: string, entry: Dirent): WalkEntry {
  if (entry.isFile()) return isSecretFile(path) ? createSkip(path, 'secret') : { kind: 'file', path };
  return createSkip(path, entry.isSymbolicLink() ? 'symlink' : 'special');
}

function createSkip(path: string, reason: SkipReason): WalkEntry {
  return { kind: 'skip', skip: { path, reason } };
}

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

/**
 * Whether a file name suggests keys or passwords. Such files are neither searched nor committed, because search results
 * may be sent to a remote model and commits are permanent. Example files and public keys are not secret.
 */
export function isSecretFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return !/\.(?:example|sample|template|dist|md|pub)$/.test(name) && secretFilePattern.test(name);
}

const secretFilePattern = new RegExp(
  [
    String.raw`^\.env(?:\..+)?$`,
    String.raw`^\.(?:npmrc|netrc|pypirc|pgpass|htpasswd|git-credentials|dockercfg)$`,
    String.raw`^id_(?:rsa|dsa|ecdsa|ed25519)(?:[^a-z].*)?$`,
    String.raw`\.(?:pem|key|p12|pfx|jks|keystore|kdbx)$`,
    String.raw`^(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt))?$`,
    String.raw`^service-account.*\.json$`,
  ].join('|'),
);
