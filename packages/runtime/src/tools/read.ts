import type { ToolOutcome } from '@pawl/core';
import type { FileHandle } from 'node:fs/promises';
import { getSystemErrorCode } from '../platform/files.ts';
import type { FolderContents } from '../search/index-folder.ts';
import { formatFileStamp, binaryProbeBytes } from '../search/text-file.ts';
import { createOutsideResult, findNearestPaths } from './file-errors.ts';
import { type Tool, defineTool, createToolFailure } from './tool.ts';
import { openWorkspaceFile } from './workspace-file.ts';
import { quotePath as name, resolveWorkspacePath, type AgentWorkspace } from './workspace.ts';
import * as z from 'zod';

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
    isConfinedToFolder: true,
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

export type LineRange = {
  readonly from: number;
  readonly to: number;
  /** Longer lines are truncated. */
  readonly lineBytesMax: number;
  /** The range ends early once this many bytes are collected. */
  readonly bytesMax: number;
};

export type ReadLinesResult =
  | { readonly kind: 'binary' }
  /** `total` is the number of lines in the file, or null if the end was not reached. */
  | { readonly kind: 'lines'; readonly lines: readonly NumberedLine[]; readonly total: number | null };

const chunkBytes = 64 * 1024;

/**
 * Reads a range of lines and buffers no more than it returns, however large the file or its lines. It stops at the end
 * of the range, or at the file's initial size, so that reading a growing file terminates.
 */
export async function readFileLines(
  file: FileHandle,
  range: LineRange,
  signal: AbortSignal,
): Promise<ReadLinesResult> {
  const { size } = await file.stat();
  const chunk = Buffer.alloc(Math.min(chunkBytes, size));
  const collector = createLineCollector(range);
  for (let position = 0; position < size;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, size - position), position);
    const bytes = chunk.subarray(0, bytesRead);
    if (position === 0 && bytes.subarray(0, binaryProbeBytes).includes(0)) return { kind: 'binary' };
    if (collector.add(bytes) === 'full') return { kind: 'lines', lines: collector.lines, total: null };
    if (bytesRead === 0) break;
    position += bytesRead;
  }
  return { kind: 'lines', lines: collector.lines, total: collector.end() };
}

function createLineCollector({ from, to, lineBytesMax, bytesMax }: LineRange) {
  const lines: NumberedLine[] = [];
  let number = 1;
  let line: Buffer[] = [];
  let lineBytes = 0;
  let collected = 0;

  function appendPiece(piece: Buffer): void {
    const remaining = number >= from && number <= to ? lineBytesMax - lineBytes : 0;
    // Copy the bytes, because the chunk buffer is reused.
    if (remaining > 0) line.push(Buffer.from(piece.subarray(0, remaining)));
    lineBytes += piece.length;
  }

  function endLine(): void {
    if (number >= from && number <= to) {
      const text = decodeLine(Buffer.concat(line));
      collected += text.length;
      lines.push({ number, text: lineBytes > lineBytesMax ? text + lineCutMark : text });
    }
    number++;
    line = [];
    lineBytes = 0;
  }

  return {
    lines,
    /** Returns `full` when nothing further in the file is needed. */
    add(bytes: Buffer): 'full' | 'more' {
      for (let start = 0; start < bytes.length;) {
        if (number > to || collected >= bytesMax) return 'full';
        const newline = bytes.indexOf(0x0a, start);
        const end = newline === -1 ? bytes.length : newline;
        appendPiece(bytes.subarray(start, end));
        if (newline !== -1) endLine();
        start = end + 1;
      }
      return 'more';
    },
    /** Handles the end of the file, where the last line may lack a newline. Returns the number of lines. */
    end(): number {
      if (lineBytes > 0) endLine();
      return number - 1;
    },
  };
}

/** Streaming mode drops a partial character at the end instead of emitting a replacement character. */
function decodeLine(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes, { stream: true });
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

/** A line of a file with its 1-based number. */
export type NumberedLine = { readonly number: number; readonly text: string };

/** Appended to a truncated line. */
export const lineCutMark = ' … [line cut]';

/** Formats lines as `12: the line`, so that a model can cite them. */
export function formatLines(lines: readonly NumberedLine[]): string {
  return lines.map(({ number, text }) => `${number}: ${text}`).join('\n');
}

/** The inverse of `formatLines`; skips lines without a number. */
export function parseLines(text: string): readonly NumberedLine[] {
  return text.split('\n').flatMap((line) => {
    const match = /^(\d+): (.*)$/s.exec(line);
    return match === null ? [] : [{ number: Number(match[1]), text: match[2] ?? '' }];
  });
}
