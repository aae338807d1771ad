import { link, open, rename, rm } from 'node:fs/promises';
import { UsageError } from '../usage-error.ts';

/** Writes a file that is there whole or not at all. One that is there already is only replaced if that is wanted. */
export async function writeWhole(path: string, text: string, replace: boolean): Promise<void> {
  const temporary = `${path}.tmp-${process.pid}`;
  try {
    await writeDurably(temporary, text);
    // Unlike renaming, linking fails if the name is taken: nobody can put a file there in between.
    await (replace ? rename(temporary, path) : link(temporary, path));
  } catch (error) {
    throw new UsageError(`Cannot write ${JSON.stringify(path)}: ${reasonOf(error)}`, { cause: error });
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EEXIST') return 'it is there already. Name another file, or say --force to replace it.';
  if (code === 'ENOENT') return 'its folder does not exist.';
  if (code === 'EISDIR') return 'it is a folder. Name a file in it.';
  return error instanceof Error ? error.message : String(error);
}
