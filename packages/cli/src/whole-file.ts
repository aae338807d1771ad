import { link, open, rename, rm } from 'node:fs/promises';
import { UsageError } from './usage-error.ts';

/** Writes a file of one text, under the same terms. */
export function writeWhole(path: string, text: string, replace: boolean): Promise<void> {
  return write(path, text, replace);
}

/** Writes a file line by line. It is there whole or not at all, and only takes the place of another if that is wanted. */
export async function writeLines(
  path: string,
  lines: AsyncIterable<string>,
  replace: boolean,
): Promise<void> {
  await write(path, ended(lines), replace);
}

async function write(path: string, content: string | AsyncIterable<string>, replace: boolean): Promise<void> {
  const temporary = `${path}.tmp-${process.pid}`;
  try {
    const file = await open(temporary, 'w', 0o600).catch((error: unknown) => {
      throw cannotWrite(path, error);
    });
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    // Unlike renaming, linking fails if the name is taken: nobody can put a file there in between.
    await (replace ? rename(temporary, path) : link(temporary, path)).catch((error: unknown) => {
      throw cannotWrite(path, error);
    });
  } finally {
    await rm(temporary, { force: true });
  }
}

async function* ended(lines: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  for await (const line of lines) yield `${line}\n`;
}

function cannotWrite(path: string, error: unknown): UsageError {
  return new UsageError(`Cannot write ${JSON.stringify(path)}: ${reasonOf(error)}`, { cause: error });
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EEXIST') return 'it is there already. Name another file, or say --force to replace it.';
  if (code === 'ENOENT') return 'its folder does not exist.';
  if (code === 'EISDIR') return 'it is a folder. Name a file in it.';
  return error instanceof Error ? error.message : String(error);
}
