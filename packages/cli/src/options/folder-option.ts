import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../exit-codes.ts';
import { sanitizeOneLine } from '../output/sanitize-text.ts';

/** Resolves an option to the real path of an existing folder. */
export async function resolveFolder(dir: string): Promise<string> {
  return realpath(dir).catch(() => {
    throw new UsageError(
      `Folder ${JSON.stringify(sanitizeOneLine(resolve(dir)))} does not exist. Check the path.`,
    );
  });
}
