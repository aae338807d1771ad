import { link, open, rename, rm } from 'node:fs/promises';
import { UsageError } from './exit-codes.ts';

/** Writes a text file atomically; see {@link writeLinesAtomically}. */
export function writeFileAtomically(path: string, text: string, replace: boolean): Promise<void> {
  return writeAtomically(path, text, replace);
}

/** Writes a file line by line and atomically; an existing file is overwritten only if `replace` is true. */
export async function writeLinesAtomically(
  path: string,
  lines: AsyncIterable<string>,
  replace: boolean,
): Promise<void> {
  await writeAtomically(path, addLineBreaks(lines), replace);
}

async function writeAtomically(
  path: string,
  content: string | AsyncIterable<string>,
  replace: boolean,
): Promise<void> {
  const temporary = `${path}.tmp-${process.pid}`;
  try {
    const file = await open(temporary, 'w', 0o600).catch((error: unknown) => {
      throw createWriteError(path, error);
    });
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    // Unlike rename, link fails if the target exists, so a file created in the meantime is not overwritten.
    await (replace ? rename(temporary, path) : link(temporary, path)).catch((error: unknown) => {
      throw createWriteError(path, error);
    });
  } finally {
    await rm(temporary, { force: true });
  }
}

async function* addLineBreaks(lines: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  for await (const line of lines) yield `${line}\n`;
}

function createWriteError(path: string, error: unknown): UsageError {
  return new UsageError(`Cannot write ${JSON.stringify(path)}: ${getWriteErrorReason(error)}`, {
    cause: error,
  });
}

function getWriteErrorReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EEXIST') return 'the file exists. Choose another file, or use --force to overwrite it.';
  if (code === 'ENOENT') return 'its folder does not exist.';
  if (code === 'EISDIR') return 'it is a folder. Choose a file in it.';
  return error instanceof Error ? error.message : String(error);
}

/** Returns whether Pawl generated a file, which makes it safe to replace. */
export async function isGeneratedFile(path: string, marker: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  if (file === null) return false;
  try {
    const expected = Buffer.from(marker);
    const { buffer } = await file.read({ buffer: Buffer.alloc(expected.length), position: 0 });
    return buffer.equals(expected);
  } catch {
    // A folder, or another path that cannot be read as a file.
    return false;
  } finally {
    await file.close();
  }
}
