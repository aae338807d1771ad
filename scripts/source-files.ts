import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const repositoryRoot: string = join(import.meta.dirname, '..');

const skippedFolders = new Set([
  'node_modules',
  '.git',
  'dist',
  'coverage',
  '.pawl',
  '.test-results',
  'build',
]);

/** Lists all project files below a folder as paths from the root, in a stable order. Works without git. */
export function listProjectFiles(folder: string, project: string = repositoryRoot): readonly string[] {
  return readdirSync(join(project, folder), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : listProjectFiles(path, project);
      return entry.isFile() && !entry.name.endsWith('.log') ? [path] : [];
    });
}
