import { open, type FileHandle } from 'node:fs/promises';
import { openFlags, getSystemErrorCode } from '../platform/files.ts';

export type SmallFile =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      readonly code: 'missing' | 'not-a-file' | 'unreadable' | 'too-large' | 'syntax';
      readonly problem: string;
      readonly cause?: unknown;
    };

/** Non-blocking, because opening a pipe without a writer would otherwise wait forever. */
const nonBlockingReadFlags = openFlags.read | openFlags.nonBlocking;

/** Reads a small UTF-8 file; on failure, returns the problem and how to fix it. */
export async function readSmallFile(path: string, bytesMax: number): Promise<SmallFile> {
  try {
    await using file = await open(path, nonBlockingReadFlags);
    if (!(await file.stat()).isFile()) {
      return { ok: false, code: 'not-a-file', problem: 'this is not a regular file. Specify a file.' };
    }
    const bytes = await readBytesUpToLimit(file, bytesMax + 1);
    if (bytes.length > bytesMax) {
      return {
        ok: false,
        code: 'too-large',
        problem: `it is larger than ${bytesMax} bytes. Make it smaller.`,
      };
    }
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    return toReadFailure(error);
  }
}

async function readBytesUpToLimit(file: FileHandle, length: number): Promise<Uint8Array> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

function toReadFailure(cause: unknown): SmallFile {
  const code = getSystemErrorCode(cause);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return { ok: false, code: 'missing', problem: 'file not found. Check the path.', cause };
  }
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return { ok: false, code: 'syntax', problem: 'it is not valid UTF-8. Save it as UTF-8.', cause };
  }
  const problem = 'it cannot be read. Check its permissions, or specify another file.';
  return { ok: false, code: 'unreadable', problem, cause };
}
