import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root: string = join(import.meta.dirname, '..');

const notOurs = new Set(['node_modules', '.git', 'dist', 'coverage', '.pawl', '.test-results', 'build']);

/** Every file of the project below a folder, as paths from the root, in a stable order. Works without git. */
export function filesUnder(folder: string, project: string = root): readonly string[] {
  return readdirSync(join(project, folder), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : filesUnder(path, project);
      return entry.isFile() && !entry.name.endsWith('.log') ? [path] : [];
    });
}
