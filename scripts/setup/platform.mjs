import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ownFilePrefix } from './stamp.mjs';

/**
 * Native tools list one optional package per platform, of which exactly one fits. A tool with several such
 * packages of which none is installed cannot start. (A single optional package is an addition for one platform
 * and is absent on the others.)
 */
export function toolsWithoutBinary(root) {
  const lockfile = join(root, 'package-lock.json');
  if (!existsSync(lockfile)) return [];
  const { packages = {} } = JSON.parse(readFileSync(lockfile, 'utf8'));
  return Object.keys(packages).filter((path) => {
    const names = Object.keys(packages[path].optionalDependencies || {});
    return (
      path !== '' &&
      names.length > 2 &&
      existsSync(join(root, path)) &&
      !names.some((name) => isInstalled(root, path, name))
    );
  });
}

function isInstalled(root, path, name) {
  return existsSync(join(root, 'node_modules', name)) || existsSync(join(root, path, 'node_modules', name));
}

/** Removes everything that npm installed, except the lock of this setup. */
export function emptyNodeModules(root) {
  const folder = join(root, 'node_modules');
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(ownFilePrefix)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
