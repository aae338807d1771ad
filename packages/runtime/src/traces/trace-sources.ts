import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { indexLimits } from '../search/limits.ts';
import { getSystemErrorCode } from '../platform/files.ts';
import { walkTree, type SkipReason } from '../search/walk.ts';
import { isSessionPieceFolder } from './session-stores.ts';
import type { TraceItem } from './trace-item.ts';
import type { TraceLimits } from './trace-limits.ts';

/** A source to read: a file, or standard input, which has no path. */
export type TraceSource = {
  /** The name shown to the user. */
  readonly file: string;
  readonly path: string | null;
  /** The id for a run that has none. */
  readonly name: string;
  /** Found in a folder, where many files are not traces. */
  readonly isFromFolder: boolean;
};

/** Checks that all paths are readable; throws for the first that is not, before anything is read. */
export async function checkTracePaths(paths: readonly string[]): Promise<void> {
  for (const path of paths) if (path !== '-') await statTracePath(path);
}

/** Lists the sources to read; the contents of folders are sorted by name. */
export async function* listTraceSources(
  paths: readonly string[],
  limits: TraceLimits,
): AsyncGenerator<TraceSource | TraceItem> {
  for (const path of paths) {
    if (path === '-') yield { file: 'standard input', path: null, name: 'stdin', isFromFolder: false };
    else if ((await statTracePath(path)).isDirectory()) yield* listFolderSources(path, limits);
    else yield { file: path, path, name: stripTraceExtensions(basename(path)), isFromFolder: false };
  }
}

async function statTracePath(path: string): Promise<Stats> {
  let stats: Stats;
  try {
    stats = await stat(path);
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(getSystemErrorCode(error));
    throw new TraceSourceError(isMissing ? 'missing' : 'unreadable', path, error);
  }
  // A device may never end. Pipes are allowed, because shells pass them for process substitution.
  if (stats.isCharacterDevice() || stats.isBlockDevice()) throw new TraceSourceError('device', path);
  return stats;
}

async function* listFolderSources(
  folder: string,
  { depth, entries }: TraceLimits,
): AsyncGenerator<TraceSource | TraceItem> {
  const walk = walkTree({
    root: folder,
    ignore: isForeignFolder,
    limits: { ...indexLimits, depth, entries },
  });
  try {
    for await (const entry of walk) {
      if (entry.kind === 'file') {
        const path = join(folder, entry.path);
        yield { file: path, path, name: stripTraceExtensions(entry.path), isFromFolder: true };
      } else if (entry.kind === 'skip') {
        const message = skipMessages[entry.skip.reason];
        const file = join(folder, entry.skip.path);
        if (message !== undefined) yield { problem: { file, line: null, message } };
      }
    }
  } catch (error) {
    getSystemErrorCode(error);
    throw new TraceSourceError('unreadable', folder, error);
  }
}

/** Links may form cycles and special files may never end, so both are skipped silently. */
const skipMessages: Partial<Record<SkipReason, string>> = {
  unreadable: 'this folder cannot be read; check its permissions',
  'too-deep': 'it is nested too deeply',
  'limit-reached': 'the folder has too many entries; the rest was skipped',
};

function isForeignFolder(path: string, isFolder: boolean): boolean {
  return isFolder && (['.git', 'node_modules'].includes(basename(path)) || isSessionPieceFolder(path));
}

function stripTraceExtensions(path: string): string {
  const name = path.replace(/(?:\.(?:jsonl?|ndjson|traj|gz|txt|log))+$/i, '');
  return name === '' || name.endsWith('/') ? path : name;
}

export type TraceSourceErrorCode = 'missing' | 'unreadable' | 'device';

/** A path that the user named cannot be read. The message is one line: what, where and what to do. */
export class TraceSourceError extends Error {
  override readonly name = 'TraceSourceError';
  readonly code: TraceSourceErrorCode;
  readonly path: string;

  constructor(code: TraceSourceErrorCode, path: string, cause?: unknown) {
    super(`${traceSourceErrorText[code]}: ${JSON.stringify(path)}. ${traceSourceErrorAdvice[code]}`, {
      cause,
    });
    this.code = code;
    this.path = path;
  }
}

const traceSourceErrorText: Record<TraceSourceErrorCode, string> = {
  missing: 'No such file or folder',
  unreadable: 'This path cannot be read',
  device: 'This is a device',
};

const traceSourceErrorAdvice: Record<TraceSourceErrorCode, string> = {
  missing: 'Check the path.',
  unreadable: 'Check its permissions, or specify another path.',
  device: 'Specify a file or a folder, or - for standard input.',
};
