import type { FileHandle } from 'node:fs/promises';
import { binaryProbeBytes } from '../search/text-file.ts';
import type { NumberedLine } from './numbered-lines.ts';
import { lineCutMark } from './numbered-lines.ts';

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
    if (collector.take(bytes) === 'full') return { kind: 'lines', lines: collector.lines, total: null };
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
    take(bytes: Buffer): 'full' | 'more' {
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
