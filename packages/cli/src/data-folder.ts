import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where what is remembered about a folder is kept: not in the folder itself, which is the user's. */
export function storageFileFor(folder: string, env: NodeJS.ProcessEnv = process.env): string {
  const home = env['XDG_DATA_HOME'] ?? '';
  const data = home === '' ? join(homedir(), '.local', 'share') : home;
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(data, 'pawl', 'storage', `${name}.sqlite`);
}

/** Makes the folder of a file, for its owner alone. */
export function makeFolderFor(file: string): void {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
}
