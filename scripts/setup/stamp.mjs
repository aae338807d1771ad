import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const ownFilePrefix = '.pawl-setup';

/** Changes whenever an install could give a different result: manifests, lockfile, npm settings, platform. */
export function fingerprint(root) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const path of ['package.json', 'package-lock.json', '.npmrc', ...workspaceManifests(root)]) {
    const file = join(root, path);
    hash.update(`${path}\n`).update(existsSync(file) ? readFileSync(file) : '');
  }
  return hash.digest('hex');
}

function workspaceManifests(root) {
  const { workspaces = [] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return workspaces
    .flatMap((pattern) => (pattern.endsWith('/*') ? foldersIn(root, pattern.slice(0, -2)) : [pattern]))
    .map((folder) => `${folder}/package.json`);
}

function foldersIn(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder))
    .toSorted()
    .map((name) => `${folder}/${name}`);
}

export function readStamp(root) {
  return existsSync(stampFile(root)) ? readFileSync(stampFile(root), 'utf8') : undefined;
}

export function writeStamp(root, text) {
  writeFileSync(stampFile(root), text);
}

/** An interrupted install must leave no stamp. */
export function forgetStamp(root) {
  rmSync(stampFile(root), { force: true });
}

function stampFile(root) {
  return join(root, 'node_modules', `${ownFilePrefix}.stamp`);
}
