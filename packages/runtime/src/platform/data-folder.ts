import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { getPlatformPaths } from './platform.ts';

type PlatformEnvironment = { readonly env: NodeJS.ProcessEnv; readonly platform: NodeJS.Platform };

/** Returns the user's data folder for this platform; `XDG_DATA_HOME` overrides it on every platform. */
export function getDataFolder({ env, platform }: PlatformEnvironment = process): string {
  const paths = platform === 'win32' ? win32 : posix;
  const override = env['XDG_DATA_HOME'] ?? '';
  if (override !== '') return paths.join(override, 'pawl');
  if (platform === 'darwin') return paths.join(homedir(), 'Library', 'Application Support', 'pawl');
  if (platform === 'win32') return paths.join(getLocalAppData(env), 'pawl');
  return paths.join(homedir(), '.local', 'share', 'pawl');
}

function getLocalAppData(env: NodeJS.ProcessEnv): string {
  const value = env['LOCALAPPDATA'] ?? '';
  return value === '' ? win32.join(homedir(), 'AppData', 'Local') : value;
}

/** Returns the storage file of a folder's memory; it is outside the folder, because the folder belongs to the user. */
export function getStorageFile(folder: string): string {
  return join(getDataFolder(), 'storage', `${hashFolderName(folder)}.sqlite`);
}

/** Returns a unique name for a folder that is safe in file names. */
export function hashFolderName(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 16);
}

/** Creates the parent folder of a file, accessible only to its owner. */
export function ensureParentFolder(file: string): void {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
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

/** Configuration file names, in a project and in the user's configuration folder. */
export const configFileNames = [
  'pawl.config.json',
  'pawl.config.yaml',
  'pawl.config.yml',
  'pawl.config.ts',
] as const;
