import { explainUnsafePath } from '../platform/platform.ts';
import { createToolFailure, type ToolResult, type ExecutionHandle } from './tool.ts';
import { readWorkspaceText } from './workspace-file.ts';
import { quotePath, resolveNewWorkspacePath, type WorkspacePath, type AgentWorkspace } from './workspace.ts';

type InsidePath = Extract<WorkspacePath, { readonly kind: 'inside' }>;
type PathResolution =
  | { readonly ok: true; readonly target: InsidePath }
  | { readonly ok: false; readonly refusal: ToolResult };

/** Longer paths do not occur in practice. */
const pathCharsMax = 1_000;

/** Resolves the path of a file to change or create, or returns a refusal. */
export async function resolvePathToChange(workspace: AgentWorkspace, path: string): Promise<PathResolution> {
  if (/\p{Cc}/u.test(path) || !path.isWellFormed()) {
    const problem = 'contains a control character or half a character';
    return refusePath(
      createToolFailure('invalid', `The path ${quotePath(path)} ${problem}. Use a plain name.`),
    );
  }
  if (path.length > pathCharsMax) return refusePath(toFileFailure('ENAMETOOLONG', path, workspace));
  const target = await resolveNewWorkspacePath(workspace.root, path);
  if (target.kind === 'outside') return refusePath(createOutsideResult(path));
  const unsafe = explainUnsafePath(path, process.platform);
  if (unsafe !== null)
    return refusePath(
      createToolFailure('invalid', `The path ${quotePath(path)} ${unsafe}. Use a plain name.`),
    );
  if (target.kind === 'failed') return refusePath(toFileFailure(target.code, path, workspace));
  if (path.includes('\\')) {
    return refusePath(
      createToolFailure('invalid', `${quotePath(path)} contains a backslash. Use "/" between names.`),
    );
  }
  return { ok: true, target };
}

/** Reads a file that a call would change, with null for a new file; null if the call would fail. */
export async function readFileToChange(
  workspace: AgentWorkspace,
  path: string,
): Promise<{ readonly text: string | null } | null> {
  try {
    const resolved = await resolvePathToChange(workspace, path);
    if (!resolved.ok) return null;
    const before = await readWorkspaceText(workspace.root, resolved.target.realPath);
    if (before.kind === 'text') return { text: before.text };
    return before.kind === 'missing' ? { text: null } : null;
  } catch {
    return null;
  }
}

function refusePath(refusal: ToolResult): PathResolution {
  return { ok: false, refusal };
}

export function createOutsideResult(path: string): ToolResult {
  return createToolFailure(
    'denied',
    `${quotePath(path)} is outside the folder. Give a path relative to the folder, without "..".`,
  );
}

/** Explains to the model why a file could not be changed, based on the system error code. */
export function toFileFailure(
  code: string,
  path: string,
  { paths }: Pick<AgentWorkspace, 'paths'>,
): ToolResult {
  const name = quotePath(path);
  switch (code) {
    case 'ENOENT':
      return createToolFailure('failed', `There is no file ${name}. ${suggestPaths(path, paths)}`);
    case 'EISDIR':
      return createToolFailure('failed', `${name} is a folder. Give the path of a file.`);
    case 'ENOTDIR':
    case 'ELOOP':
      return createToolFailure(
        'failed',
        `A part of ${name} is a file or a link, not a folder. Use glob to find the real path.`,
      );
    case 'EFTYPE':
    case 'ENXIO':
      return createToolFailure('failed', `${name} is a broken link or not a regular file. Use another path.`);
    case 'ESTALE':
      return createToolFailure(
        'failed',
        `${name} has changed since it was read. Read it again before you change it.`,
      );
    case 'ENAMETOOLONG':
      return createToolFailure('invalid', `The path ${name} is too long (${code}). Use shorter names.`);
    case 'ENOSPC':
    case 'EDQUOT':
      return createToolFailure(
        'failed',
        `There is no space to write ${name} (${code}). Nothing was changed.`,
      );
    default:
      return createToolFailure(
        'failed',
        `${name} cannot be used (${code}). Nothing was changed; use another file.`,
      );
  }
}

function suggestPaths(path: string, paths: readonly string[]): string {
  const similar = findNearestPaths(path, paths, 3).map(quotePath);
  if (similar.length === 0) return 'Use glob to find it, or write to create it.';
  return `Try ${similar.join(' or ')}; use write to create a new file.`;
}

/** Finds the existing paths most similar to one that does not exist, best first. */
export function findNearestPaths(target: string, paths: readonly string[], limit: number): readonly string[] {
  // The end of a path is the most significant part; this bounds the cost for long inputs.
  const end = target.slice(-300);
  const name = listPathPairs(getBaseName(end));
  const whole = listPathPairs(end);
  return paths
    .map((path) => ({
      path,
      likeness:
        2 * computePairOverlap(name, listPathPairs(getBaseName(path))) +
        computePairOverlap(whole, listPathPairs(path)),
    }))
    .filter(({ likeness }) => likeness > 0.9)
    .toSorted((a, b) => b.likeness - a.likeness || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
    .map(({ path }) => path);
}

function getBaseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Includes the start and end of the path, case-insensitively. */
function listPathPairs(path: string): ReadonlySet<string> {
  return listLetterPairs(` ${path.toLowerCase()} `);
}

/** Lists the character bigrams of a text. */
export function listLetterPairs(text: string): ReadonlySet<string> {
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));
}

/** Sørensen–Dice coefficient: 1 for identical pairs, 0 for none in common; it tolerates swapped or missing letters. */
export function computePairOverlap(pairs: ReadonlySet<string>, others: ReadonlySet<string>): number {
  if (pairs.size + others.size === 0) return 0;
  let shared = 0;
  for (const pair of pairs) if (others.has(pair)) shared += 1;
  return (2 * shared) / (pairs.size + others.size);
}

export type ChangeTarget = {
  readonly path: string;
  readonly realPath: string;
  readonly execution: ExecutionHandle | undefined;
};
