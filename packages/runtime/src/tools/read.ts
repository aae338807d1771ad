import type { ToolOutcome } from '@pawl/core';
import * as z from 'zod';
import type { FolderContents } from '../search/index-folder.ts';
import { getSystemErrorCode } from '../search/system-error.ts';
import { formatFileStamp } from '../search/text-file.ts';
import { createOutsideResult } from './file-errors.ts';
import { findNearestPaths } from './nearest-paths.ts';
import { formatLines } from './numbered-lines.ts';
import type { ReadLinesResult } from './read-lines.ts';
import { readFileLines } from './read-lines.ts';
import type { Tool } from './tool.ts';
import { defineTool, createToolFailure } from './tool.ts';
import { openWorkspaceFile } from './workspace-file.ts';
import { quotePath as name, resolveWorkspacePath } from './workspace-path.ts';
import type { AgentWorkspace } from './workspace.ts';

/** Limits for one call; the model requests the next lines if it needs more. */
const readLimits = { lines: 400, lineBytes: 1_000, bytes: 24_000 } as const;
const defaultReadLines = 200;

/** The output of the read tool, for code that parses it from a conversation. */
export const readOutputSchema = z.object({
  path: z.string(),
  from: z.number(),
  to: z.number(),
  /** Number of lines in the file, or null if the end was not reached. */
  total: z.number().nullable(),
  /** Numbered lines, formatted by `formatLines`. */
  text: z.string(),
});

export type ReadOutput = z.infer<typeof readOutputSchema>;

type ReadableFolder = Pick<FolderContents, 'root' | 'paths'>;

/** With a `workspace`, records which version of each file the agent has seen. */
export function createReadTool(
  folder: ReadableFolder,
  workspace?: Pick<AgentWorkspace, 'recordVersion'>,
): Tool {
  return defineTool({
    name: 'read',
    effect: 'read-only',
    timeoutMs: 30_000,
    outputCharsMax: 60_000,
    description:
      'Read lines of a text file in the folder, with their line numbers. At most ' +
      `${readLimits.lines} lines are returned at once; "to" is the last line returned, and "total" is null if there are more.`,
    parameters: z.object({
      path: z.string().min(1).describe('Path of the file, relative to the folder.'),
      from: z.int().min(1).optional().describe('First line; defaults to 1.'),
      to: z.int().min(1).optional().describe('Last line; defaults to 200 lines from the first.'),
    }),
    async run({ path, from = 1, to = from + defaultReadLines - 1 }, { signal }) {
      if (to < from)
        return createToolFailure(
          'invalid',
          `"to" (${to}) is before "from" (${from}). Give the first line as "from".`,
        );
      const target = await resolveWorkspacePath(folder.root, path);
      if (target.kind === 'outside') return createOutsideResult(path);
      if (target.kind === 'failed') return explainReadFailure(target.code, path, folder);
      const range = { from, to: Math.min(to, from + readLimits.lines - 1) };
      try {
        await using file = await openWorkspaceFile(folder.root, target.realPath);
        workspace?.recordVersion(target.realPath, formatFileStamp(await file.stat({ bigint: true })));
        const { lineBytes: lineBytesMax, bytes: bytesMax } = readLimits;
        const read = await readFileLines(file, { ...range, lineBytesMax, bytesMax }, signal);
        return toReadOutcome(read, target.path, range.from);
      } catch (error) {
        if (signal.aborted) return createToolFailure('cancelled', `Reading ${name(path)} was cancelled.`);
        return explainReadFailure(getSystemErrorCode(error), target.path, folder);
      }
    },
  });
}

function toReadOutcome(read: ReadLinesResult, path: string, from: number): ToolOutcome {
  if (read.kind === 'binary') {
    return createToolFailure(
      'failed',
      `${name(path)} is a binary file. Only text can be read; search for a text file instead.`,
    );
  }
  const { lines, total } = read;
  if (lines.length === 0 && total !== null && total > 0) {
    return createToolFailure(
      'failed',
      `${name(path)} has only ${total} lines, so there is no line ${from}. Read from 1 to ${total}.`,
    );
  }
  const output: ReadOutput = { path, from, to: lines.at(-1)?.number ?? 0, total, text: formatLines(lines) };
  return { ok: true, output };
}

function explainReadFailure(code: string, path: string, folder: ReadableFolder): ToolOutcome {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return createToolFailure(
        'failed',
        `There is no file ${name(path)}. ${formatPathSuggestion(findNearestPaths(path, folder.paths, 3))}`,
      );
    case 'EISDIR':
      return createToolFailure(
        'failed',
        `${name(path)} is a folder. ${formatPathSuggestion(listFilesBelow(path, folder.paths))}`,
      );
    case 'EFTYPE':
    case 'ENXIO':
      return createToolFailure('failed', `${name(path)} is not a regular file. Read a text file instead.`);
    case 'EACCES':
    case 'EPERM':
      return createToolFailure(
        'failed',
        `${name(path)} cannot be read: permission denied (${code}). Use another file.`,
      );
    default:
      return createToolFailure('failed', `${name(path)} cannot be read (${code}). Use another file.`);
  }
}

function listFilesBelow(path: string, paths: readonly string[]): readonly string[] {
  return paths.filter((each) => path === '' || each.startsWith(`${path}/`)).slice(0, 5);
}

function formatPathSuggestion(paths: readonly string[]): string {
  if (paths.length === 0) return 'Use search to find the right file.';
  return `Try ${paths.map(name).join(' or ')}, or use search to find the right file.`;
}
