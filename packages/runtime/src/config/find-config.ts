import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { ConfigFileError } from './config-file-error.ts';

/** The names under which a configuration is looked for, in a project and in the user's folder. */
export const configFileNames = [
  'pawl.config.json',
  'pawl.config.yaml',
  'pawl.config.yml',
  'pawl.config.ts',
] as const;

/** The configuration in a folder, if there is one. Two are one too many: nobody could tell which one holds. */
export async function findConfig(folder: string): Promise<string | null> {
  const paths = configFileNames.map((name) => join(folder, name));
  const there = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  const [found, second] = paths.filter((_, index) => there[index]);
  if (found === undefined) return null;
  if (second === undefined) return found;
  const problem = `there is also ${JSON.stringify(second)}. Keep one of them.`;
  throw new ConfigFileError('ambiguous', found, { problem });
}

/** Where the user's own configuration is: `pawl` in the folder that XDG says. */
export function userConfigFolder(env: { readonly [name: string]: string | undefined } = process.env): string {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  // The standard asks for a relative path to be passed over.
  return join(isAbsolute(given) ? given : join(homedir(), '.config'), 'pawl');
}
