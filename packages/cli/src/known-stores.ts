import { existsSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder, nameFor, makeFolderFor } from './data-folder.ts';

/**
 * A database that came with a folder may hold sessions that nobody here has ever run, with calls that nobody here has
 * ever allowed. So those made here are remembered, each by its place and by which file is there.
 */
export function isKnownStore(path: string): boolean {
  const real = realpathSync(path);
  return real === join(realDataFolder(), 'sessions.db') || existsSync(noteFor(real));
}

export function rememberStore(path: string): void {
  const note = noteFor(realpathSync(path));
  makeFolderFor(note);
  writeFileSync(note, `${path}\n`, { mode: 0o600 });
}

function noteFor(real: string): string {
  const { dev, ino } = statSync(real, { bigint: true });
  return join(dataFolder(), 'stores', nameFor(`${real}\n${dev}\n${ino}`));
}

function realDataFolder(): string {
  try {
    return realpathSync(dataFolder());
  } catch {
    return dataFolder();
  }
}
