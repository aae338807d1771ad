import { existsSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getDataFolder, hashFolderName, ensureParentFolder } from '@pawl/runtime/data-folder';

/**
 * Returns whether a database was created on this machine. A database that came with a folder may contain sessions and
 * tool calls that this user never ran or allowed, so known databases are registered by path and file identity.
 */
export function isKnownStore(path: string): boolean {
  const real = realpathSync.native(path);
  return real === join(resolveDataFolder(), 'sessions.db') || existsSync(getStoreMarkerPath(real));
}

export function registerStore(path: string): void {
  const marker = getStoreMarkerPath(realpathSync.native(path));
  ensureParentFolder(marker);
  writeFileSync(marker, `${path}\n`, { mode: 0o600 });
}

function getStoreMarkerPath(real: string): string {
  const { dev, ino } = statSync(real, { bigint: true });
  return join(getDataFolder(), 'stores', hashFolderName(`${real}\n${dev}\n${ino}`));
}

function resolveDataFolder(): string {
  try {
    return realpathSync.native(getDataFolder());
  } catch {
    return getDataFolder();
  }
}
