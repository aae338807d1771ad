import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from './usage-error.ts';
import { visibleLine } from './visible.ts';

/** The folder that an option names, with links followed; it has to be there. */
export async function folderNamed(dir: string): Promise<string> {
  return realpath(dir).catch(() => {
    throw new UsageError(
      `There is no folder ${JSON.stringify(visibleLine(resolve(dir)))}. Check the spelling.`,
    );
  });
}
