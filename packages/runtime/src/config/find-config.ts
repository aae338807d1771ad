import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { getPlatformPaths } from '../platform/platform.ts';
import { ConfigFileError } from './config-file-error.ts';

/** Configuration file names, in a project and in the user's configuration folder. */
export const configFileNames = [
  'pawl.config.json',
  'pawl.config.yaml',
  'pawl.config.yml',
  'pawl.config.ts',
] as const;

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

/** Returns the user's configuration folder: `pawl` in the XDG configuration folder, or in `%APPDATA%` on Windows. */
export function getUserConfigFolder(
  env: { readonly [name: string]: string | undefined } = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const paths = getPlatformPaths(platform);
  const xdgFolder = env['XDG_CONFIG_HOME'] ?? '';
  // The XDG specification requires relative paths to be ignored.
  if (paths.isAbsolute(xdgFolder)) return paths.join(xdgFolder, 'pawl');
  if (platform !== 'win32') return paths.join(homedir(), '.config', 'pawl');
  const roaming = env['APPDATA'] ?? '';
  return paths.join(
    paths.isAbsolute(roaming) ? roaming : paths.join(homedir(), 'AppData', 'Roaming'),
    'pawl',
  );
}
