import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(dirname(here));

/** What goes into the pages besides their own files: the machine that they replay sessions with. */
const folders = [join(here, 'web'), join(root, 'packages/core/src')];
const files = [join(here, 'vite.config.ts')];
/** The packages whose code ends up in the pages, or makes them. */
const packages = [
  '@tanstack/react-virtual',
  '@tanstack/virtual-core',
  '@xyflow/react',
  '@xyflow/system',
  'elkjs',
  'react',
  'react-dom',
  'rolldown',
  'uplot',
  'vite',
];

/** A fingerprint of all that the built pages are made of: while it is the same, they need not be built again. */
export function sourcesHash(): string {
  const hash = createHash('sha256');
  for (const file of [...files, ...folders.flatMap(filesIn)]) {
    const text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
    hash.update(`${relative(root, file)}\0${text.length}\0${text}`);
  }
  for (const [name, version] of lockedVersions()) hash.update(`${name}@${version}\n`);
  return hash.digest('hex');
}

/** Writes the fingerprint into `dist/sources.json` when vite has built the rest. */
export function sourcesFile(): {
  readonly name: string;
  generateBundle(this: { emitFile(file: { type: 'asset'; fileName: string; source: string }): void }): void;
} {
  return {
    name: 'pawl-sources',
    generateBundle() {
      const source = `${JSON.stringify({ sources: sourcesHash() })}\n`;
      this.emitFile({ type: 'asset', fileName: 'sources.json', source });
    },
  };
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

function lockedVersions(): readonly (readonly [string, string])[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  return packages.map((name) => [name, lock.packages[`node_modules/${name}`]?.version ?? 'none']);
}
