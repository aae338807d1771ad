import type { FileHandle } from 'node:fs/promises';
import { binaryProbeBytes } from '../search/text-file.ts';
import type { NumberedLine } from './numbered-lines.ts';
import { cutMark } from './numbered-lines.ts';

export type LineRange = {
  readonly from: number;
  readonly to: number;
  /** More of one line is not kept. */
  readonly lineBytesMax: number;
  /** Once this much is kept the range ends early. */
  readonly bytesMax: number;
};

export type LinesRead =
  | { readonly kind: 'binary' }
  /** `total` is how many lines the file has, or null when its end was not seen. */
  | { readonly kind: 'lines'; readonly lines: readonly NumberedLine[]; readonly total: number | null };

const chunkBytes = 64 * 1024;

/**
 * Reads a range of lines and keeps no more than it returns, however large the file or its lines. It stops at the end of
 * the range, and at the size the file had when it started, so that a growing file has an end.
 */
export async function readLines(file: FileHandle, range: LineRange, signal: AbortSignal): Promise<LinesRead> {
  const { size } = await file.stat();
  const chunk = Buffer.alloc(Math.min(chunkBytes, size));
  const collector = createCollector(range);
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

function createCollector({ from, to, lineBytesMax, bytesMax }: LineRange) {
  const lines: NumberedLine[] = [];
  let number = 1;
  let line: Buffer[] = [];
  let lineBytes = 0;
  let kept = 0;

  function keep(piece: Buffer): void {
    const room = number >= from && number <= to ? lineBytesMax - lineBytes : 0;
    // Copied, because the chunk it lies in is filled again.
    if (room > 0) line.push(Buffer.from(piece.subarray(0, room)));
    lineBytes += piece.length;
  }

  function endLine(): void {
    if (number >= from && number <= to) {
      const text = decodeLine(Buffer.concat(line));
      kept += text.length;
      lines.push({ number, text: lineBytes > lineBytesMax ? text + cutMark : text });
    }
    number++;
    line = [];
    lineBytes = 0;
  }

  return {
    lines,
    /** `full` when nothing further in the file is wanted. */
    take(bytes: Buffer): 'full' | 'more' {
      for (let start = 0; start < bytes.length;) {
        if (number > to || kept >= bytesMax) return 'full';
        const found = bytes.indexOf(0x0a, start);
        const end = found === -1 ? bytes.length : found;
        keep(bytes.subarray(start, end));
        if (found !== -1) endLine();
        start = end + 1;
      }
      return 'more';
    },
    /** The end of the file: the last line need not end with a newline. Returns the number of lines. */
    end(): number {
      if (lineBytes > 0) endLine();
      return number - 1;
    },
  };
}

/** As a stream, so that a character cut in half at the end is left out instead of shown as a replacement sign. */
function decodeLine(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes, { stream: true });
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
