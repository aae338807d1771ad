import type { Outcome } from '@pawl/core';
import * as z from 'zod';
import type { FolderContents } from '../search/index-folder.ts';
import { codeOf } from '../search/system-error.ts';
import { stampOf } from '../search/text-file.ts';
import { outside } from './file-errors.ts';
import { nearestPaths } from './nearest-paths.ts';
import { formatLines } from './numbered-lines.ts';
import type { LinesRead } from './read-lines.ts';
import { readLines } from './read-lines.ts';
import type { Tool } from './tool.ts';
import { defineTool, failure } from './tool.ts';
import { openBelow } from './workspace-file.ts';
import { quoted as name, resolveInWorkspace } from './workspace-path.ts';
import type { Workspace } from './workspace.ts';

/** What one call may put into the conversation; whoever wants more asks for the next lines. */
const readLimits = { lines: 400, lineBytes: 1_000, bytes: 24_000 } as const;
const linesByDefault = 200;

/** What the read tool puts out, for those who read it back from a conversation. */
export const readOutput = z.object({
  path: z.string(),
  from: z.number(),
  to: z.number(),
  /** Lines in the whole file, or null when the end was not reached. */
  total: z.number().nullable(),
  /** Lines with their numbers, as `formatLines` writes them. */
  text: z.string(),
});

export type ReadOutput = z.infer<typeof readOutput>;

type Folder = Pick<FolderContents, 'root' | 'paths'>;

/** With a `workspace` it is known which version of a file the agent has seen. */
export function createReadTool(folder: Folder, workspace?: Pick<Workspace, 'saw'>): Tool {
  return defineTool({
    name: 'read',
    effect: 'read-only',
    timeoutMs: 30_000,
    outputCharsMax: 60_000,
    description:
      'Read lines of a text file in the folder, with their line numbers. At most ' +
      `${readLimits.lines} lines come back at once; "to" says where it stopped, and "total" is null when there is more.`,
    parameters: z.object({
      path: z.string().min(1).describe('Path of the file, relative to the folder.'),
      from: z.int().min(1).optional().describe('First line; 1 if left out.'),
      to: z.int().min(1).optional().describe('Last line; some 200 lines after the first if left out.'),
    }),
    async run({ path, from = 1, to = from + linesByDefault - 1 }, { signal }) {
      if (to < from)
        return failure('invalid', `"to" (${to}) is before "from" (${from}). Give the first line as "from".`);
      const place = await resolveInWorkspace(folder.root, path);
      if (place.kind === 'outside') return outside(path);
      if (place.kind === 'failed') return explain(place.code, path, folder);
      const range = { from, to: Math.min(to, from + readLimits.lines - 1) };
      try {
        await using file = await openBelow(folder.root, place.realPath);
        workspace?.saw(place.realPath, stampOf(await file.stat({ bigint: true })));
        const { lineBytes: lineBytesMax, bytes: bytesMax } = readLimits;
        const read = await readLines(file, { ...range, lineBytesMax, bytesMax }, signal);
        return toOutcome(read, place.path, range.from);
      } catch (error) {
        if (signal.aborted) return failure('cancelled', `Reading ${name(path)} was called off.`);
        return explain(codeOf(error), place.path, folder);
      }
    },
  });
}

function toOutcome(read: LinesRead, path: string, from: number): Outcome {
  if (read.kind === 'binary') {
    return failure(
      'failed',
      `${name(path)} is a binary file. Only text can be read; search for a text file instead.`,
    );
  }
  const { lines, total } = read;
  if (lines.length === 0 && total !== null && total > 0) {
    return failure(
      'failed',
      `${name(path)} has only ${total} lines, so there is no line ${from}. Read from 1 to ${total}.`,
    );
  }
  const output: ReadOutput = { path, from, to: lines.at(-1)?.number ?? 0, total, text: formatLines(lines) };
  return { ok: true, output };
}

function explain(code: string, path: string, folder: Folder): Outcome {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return failure(
        'failed',
        `There is no file ${name(path)}. ${suggest(nearestPaths(path, folder.paths, 3))}`,
      );
    case 'EISDIR':
      return failure('failed', `${name(path)} is a folder. ${suggest(filesIn(path, folder.paths))}`);
    case 'EFTYPE':
    case 'ENXIO':
      return failure('failed', `${name(path)} is not a regular file. Read a text file instead.`);
    case 'EACCES':
    case 'EPERM':
      return failure('failed', `${name(path)} may not be read (${code}). Use another file.`);
    default:
      return failure('failed', `${name(path)} cannot be read (${code}). Use another file.`);
  }
}

function filesIn(path: string, paths: readonly string[]): readonly string[] {
  return paths.filter((each) => path === '' || each.startsWith(`${path}/`)).slice(0, 5);
}

function suggest(paths: readonly string[]): string {
  if (paths.length === 0) return 'Use search to find the right file.';
  return `Try ${paths.map(name).join(' or ')}, or use search to find the right file.`;
}
