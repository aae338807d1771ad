import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { indexLimits } from '../search/limits.ts';
import { codeOf } from '../search/system-error.ts';
import { walk, type SkipReason } from '../search/walk.ts';
import type { TraceItem } from './trace-item.ts';
import type { TraceLimits } from './trace-limits.ts';
import { TraceSourceError } from './trace-source-error.ts';

/** Something to read: a file, or standard input, which has no path. */
export type TraceSource = {
  /** As the user knows it. */
  readonly file: string;
  readonly path: string | null;
  /** The id of a run that has none. */
  readonly name: string;
  /** Found in a folder, where much lies that is no trace. */
  readonly isFound: boolean;
};

/** Whether each of the paths can be read at all; throws for the first that cannot, before anything is read. */
export async function checkPaths(paths: readonly string[]): Promise<void> {
  for (const path of paths) if (path !== '-') await statOf(path);
}

/** What there is to read, the contents of folders in the order of their names. */
export async function* sourcesIn(
  paths: readonly string[],
  limits: TraceLimits,
): AsyncGenerator<TraceSource | TraceItem> {
  for (const path of paths) {
    if (path === '-') yield { file: 'standard input', path: null, name: 'stdin', isFound: false };
    else if ((await statOf(path)).isDirectory()) yield* sourcesUnder(path, limits);
    else yield { file: path, path, name: withoutEndings(basename(path)), isFound: false };
  }
}

async function statOf(path: string): Promise<Stats> {
  let stats: Stats;
  try {
    stats = await stat(path);
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error));
    throw new TraceSourceError(isMissing ? 'missing' : 'unreadable', path, error);
  }
  // Devices may never end. A pipe is what a shell hands over for the output of another command.
  if (stats.isCharacterDevice() || stats.isBlockDevice()) throw new TraceSourceError('device', path);
  return stats;
}

async function* sourcesUnder(
  folder: string,
  { depth, entries }: TraceLimits,
): AsyncGenerator<TraceSource | TraceItem> {
  const found = walk({ root: folder, ignore: isForeign, limits: { ...indexLimits, depth, entries } });
  try {
    for await (const entry of found) {
      if (entry.kind === 'file') {
        const path = join(folder, entry.path);
        yield { file: path, path, name: withoutEndings(entry.path), isFound: true };
      } else if (entry.kind === 'skip') {
        const message = skipped[entry.skip.reason];
        const file = join(folder, entry.skip.path);
        if (message !== undefined) yield { problem: { file, line: null, message } };
      }
    }
  } catch (error) {
    codeOf(error);
    throw new TraceSourceError('unreadable', folder, error);
  }
}

/** Links may lead round in circles and special files may never end; both are passed over in silence. */
const skipped: Partial<Record<SkipReason, string>> = {
  unreadable: 'this folder cannot be read; check its permissions',
  'too-deep': 'it lies too many folders deep',
  'limit-reached': 'the folder has too many entries; what comes after this one was left out',
};

function isForeign(path: string, isFolder: boolean): boolean {
  return isFolder && ['.git', 'node_modules'].includes(basename(path));
}

function withoutEndings(path: string): string {
  const name = path.replace(/(?:\.(?:jsonl?|ndjson|traj|gz|txt|log))+$/i, '');
  return name === '' || name.endsWith('/') ? path : name;
}
