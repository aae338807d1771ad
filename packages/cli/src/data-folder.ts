import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

type Machine = { readonly env: NodeJS.ProcessEnv; readonly platform: NodeJS.Platform };

/** Where the user's own data is kept on this platform. `XDG_DATA_HOME` counts on all of them. */
export function dataFolder({ env, platform }: Machine = process): string {
  const chosen = env['XDG_DATA_HOME'] ?? '';
  if (chosen !== '') return join(chosen, 'pawl');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'pawl');
  if (platform === 'win32') return join(localAppData(env), 'pawl');
  return join(homedir(), '.local', 'share', 'pawl');
}

function localAppData(env: NodeJS.ProcessEnv): string {
  const told = env['LOCALAPPDATA'] ?? '';
  return told === '' ? join(homedir(), 'AppData', 'Local') : told;
}

/** Where what is remembered about a folder is kept: not in the folder itself, which is the user's. */
export function storageFileFor(folder: string): string {
  return join(dataFolder(), 'storage', `${nameFor(folder)}.sqlite`);
}

/** A name for a folder that no other has, fit for a file. */
export function nameFor(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 16);
}

/** Makes the folder of a file, for its owner alone. */
export function makeFolderFor(file: string): void {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
}
