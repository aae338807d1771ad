import { appendFileSync, rmSync, statSync } from 'node:fs';
import { replaceFileSync } from '../platform/files.ts';

export type RotatingFileOptions = {
  /** File size at which the file is rotated. */
  readonly bytesMax?: number;
  /** Maximum number of files, including the current one. */
  readonly filesMax?: number;
  /** Called on the first failed write of a series of failures. */
  readonly onError?: (message: string) => void;
};

export type RotatingFile = { write(line: string): void };

/**
 * Opens a log file that rotates at a size limit: `name` is the current file, `name.1` the previous one, and so on.
 * Lines that cannot be written are dropped and reported, because logging must not stop the agent. Throws if the file
 * cannot be opened for writing.
 */
export function openRotatingFile(path: string, options: RotatingFileOptions = {}): RotatingFile {
  const { bytesMax = 10 * 1024 * 1024, filesMax = 5, onError = () => undefined } = options;
  appendFileSync(path, '', { mode: 0o600 });
  let isFailing = false;
  return {
    write(line) {
      try {
        if (isFileFull(path, Buffer.byteLength(line), bytesMax)) rotateFiles(path, filesMax);
        appendFileSync(path, line, { mode: 0o600 });
        isFailing = false;
      } catch (error) {
        if (!isFailing) onError(error instanceof Error ? error.message : String(error));
        isFailing = true;
      }
    },
  };
}

/**
 * Checks the actual size each time, because other processes may write to the same file. Only regular files are limited.
 */
function isFileFull(path: string, added: number, bytesMax: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size > 0 && stats.size + added > bytesMax;
}

function rotateFiles(path: string, filesMax: number): void {
  const name = (number: number): string => (number === 0 ? path : `${path}.${number}`);
  rmSync(name(filesMax - 1), { force: true });
  for (let number = filesMax - 2; number >= 0; number -= 1) renameIfExists(name(number), name(number + 1));
}

function renameIfExists(from: string, to: string): void {
  try {
    replaceFileSync(from, to);
  } catch (error) {
    // There are fewer files so far, or another process has rotated this one.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
