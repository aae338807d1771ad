import { isUtf8 } from 'node:buffer';
import { constants, type BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { codeOf } from './system-error.ts';
import type { SkipReason } from './walk.ts';

/** A link put in a file's place is not followed, and a pipe put there does not make us wait for a writer. */
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** How far a NUL byte is looked for; text has none, and binary formats have one early. */
export const binaryProbeBytes = 8 * 1024;

type Decoded =
  | { readonly ok: true; readonly text: string; readonly bytes: number }
  | { readonly ok: false; readonly reason: SkipReason };

/** `stamp` tells one version of a file from another; empty when nothing is known of it. */
export type TextFile = Decoded & { readonly stamp: string };

/** The text of a file of at most `bytesMax` bytes. A larger one is not read at all. */
export async function readTextFile(path: string, bytesMax: number): Promise<TextFile> {
  try {
    await using file = await openFile(path);
    // Before it is read: a file that changes meanwhile is then another version.
    const status = await file.stat({ bigint: true });
    const stamp = stampOf(status);
    const size = Number(status.size);
    if (size > bytesMax) return { ok: false, reason: 'too-large', stamp };
    return { ...decode(await readBytes(file, size)), stamp };
  } catch (error) {
    return { ok: false, reason: codeOf(error) === 'EFTYPE' ? 'special' : 'unreadable', stamp: '' };
  }
}

/** Tells one version of a file from another: a write gives it a new one. */
export function stampOf({ mtimeNs, size, ino }: Pick<BigIntStats, 'mtimeNs' | 'size' | 'ino'>): string {
  return `${mtimeNs} ${size} ${ino}`;
}

/** Has a code as the system's own errors do. */
class NotAFile extends Error {
  readonly code: 'EISDIR' | 'EFTYPE';

  constructor(path: string, isFolder: boolean) {
    super(`Not a regular file: ${path}`);
    this.code = isFolder ? 'EISDIR' : 'EFTYPE';
  }
}

/** Opens a regular file and nothing else; what the path names is only known for certain once it is open. */
export async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, openFlags);
  const status = await file.stat();
  if (status.isFile()) return file;
  await file.close();
  throw new NotAFile(path, status.isDirectory());
}

/** Reads to the size seen when it was opened, so that a file being written to meanwhile has an end. */
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

function decode(bytes: Buffer): Decoded {
  if (bytes.subarray(0, binaryProbeBytes).includes(0)) return { ok: false, reason: 'binary' };
  // Checked first because a fatal decoder would say so by throwing.
  if (!isUtf8(bytes)) return { ok: false, reason: 'binary' };
  return { ok: true, text: new TextDecoder().decode(bytes), bytes: bytes.length };
}
