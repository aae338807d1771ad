import { appendFileSync, renameSync, rmSync, statSync } from 'node:fs';

export type RotatingFileOptions = {
  /** How large a file gets before the next one is begun. */
  readonly bytesMax?: number;
  /** How many files there are at most, the one that is written to included. */
  readonly filesMax?: number;
  /** Told when a line cannot be written, once until one can be again. */
  readonly onTrouble?: (message: string) => void;
};

export type RotatingFile = { write(line: string): void };

/**
 * A file for lines that never grows beyond its limits: `name` is written to, `name.1` is what was there before, and so on.
 * What cannot be written is lost and told of: a log is no reason to stop. Throws when it cannot be written to at first.
 */
export function openRotatingFile(path: string, options: RotatingFileOptions = {}): RotatingFile {
  const { bytesMax = 10 * 1024 * 1024, filesMax = 5, onTrouble = () => undefined } = options;
  appendFileSync(path, '', { mode: 0o600 });
  let isInTrouble = false;
  return {
    write(line) {
      try {
        if (isFull(path, Buffer.byteLength(line), bytesMax)) rotate(path, filesMax);
        appendFileSync(path, line, { mode: 0o600 });
        isInTrouble = false;
      } catch (error) {
        if (!isInTrouble) onTrouble(error instanceof Error ? error.message : String(error));
        isInTrouble = true;
      }
    },
  };
}

/** Asked of the file each time, since another process may write to it as well. What is no file has no size to watch. */
function isFull(path: string, added: number, bytesMax: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size > 0 && found.size + added > bytesMax;
}

function rotate(path: string, filesMax: number): void {
  const name = (number: number): string => (number === 0 ? path : `${path}.${number}`);
  rmSync(name(filesMax - 1), { force: true });
  for (let number = filesMax - 2; number >= 0; number -= 1) move(name(number), name(number + 1));
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    // There were fewer so far, or another process was quicker.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
