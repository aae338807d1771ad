import { isUtf8 } from 'node:buffer';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openFlags, openRefusingLinks, getSystemErrorCode } from '../platform/files.ts';
import type { SkipReason } from './walk.ts';

/** Avoids blocking on a pipe without a writer; `openRefusingLinks` rejects links. */
const nonBlockingReadFlags = openFlags.read | openFlags.nonBlocking;

/** How many bytes are checked for a NUL byte; text has none, and binary formats have one early. */
export const binaryProbeBytes = 8 * 1024;

type DecodedText =
  | { readonly ok: true; readonly text: string; readonly bytes: number }
  | { readonly ok: false; readonly reason: SkipReason };

/** `stamp` identifies the version of a file; empty if unknown. */
export type TextFile = DecodedText & { readonly stamp: string };

/** Reads a text file of at most `bytesMax` bytes. A larger file is not read at all. */
export async function readTextFile(path: string, bytesMax: number): Promise<TextFile> {
  try {
    await using file = await openRegularFile(path);
    // Taken before reading, so that a file that changes meanwhile counts as another version.
    const status = await file.stat({ bigint: true });
    const stamp = formatFileStamp(status);
    const size = Number(status.size);
    if (size > bytesMax) return { ok: false, reason: 'too-large', stamp };
    return { ...decodeText(await readBytes(file, size)), stamp };
  } catch (error) {
    return {
      ok: false,
      reason: getSystemErrorCode(error) === 'EFTYPE' ? 'special' : 'unreadable',
      stamp: '',
    };
  }
}

/** Identifies the version of a file; a write changes it. */
export function formatFileStamp({
  mtimeNs,
  size,
  ino,
}: Pick<BigIntStats, 'mtimeNs' | 'size' | 'ino'>): string {
  return `${mtimeNs} ${size} ${ino}`;
}

/** Carries a code like the system's own errors. */
class NotRegularFileError extends Error {
  readonly code: 'EISDIR' | 'EFTYPE';

  constructor(path: string, isFolder: boolean) {
    super(`Not a regular file: ${path}`);
    this.code = isFolder ? 'EISDIR' : 'EFTYPE';
  }
}

/** Opens a regular file and nothing else; the file type is only certain once the file is open. */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const file = await openRefusingLinks(path, nonBlockingReadFlags);
  const status = await file.stat();
  if (status.isFile()) return file;
  await file.close();
  throw new NotRegularFileError(path, status.isDirectory());
}

/** Reads up to the size at opening, so that reading a growing file terminates. */
async function readBytes(file: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await file.read(buffer, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

function decodeText(bytes: Buffer): DecodedText {
  if (bytes.subarray(0, binaryProbeBytes).includes(0)) return { ok: false, reason: 'binary' };
  // Check first, because a fatal decoder would throw.
  if (!isUtf8(bytes)) return { ok: false, reason: 'binary' };
  return { ok: true, text: new TextDecoder().decode(bytes), bytes: bytes.length };
}
