import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';

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
