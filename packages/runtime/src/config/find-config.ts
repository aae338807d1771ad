import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { configFileNames } from '../platform/data-folder.ts';
import { ConfigFileError } from './config-file-error.ts';

/** Finds the configuration file of a folder. Throws if there are two, because precedence would be ambiguous. */
export async function findConfigFile(folder: string): Promise<string | null> {
  const paths = configFileNames.map((name) => join(folder, name));
  const exists = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  const [path, second] = paths.filter((_, index) => exists[index]);
  if (path === undefined) return null;
  if (second === undefined) return path;
  const problem = `the folder also has ${JSON.stringify(second)}. Keep only one of them.`;
  throw new ConfigFileError('ambiguous', path, { problem });
}
