import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const scriptFolder = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(dirname(scriptFolder));

/** Sources of the web app: its own files, and the core with the governor, with which it replays sessions. */
const sourceFolders = [
  join(scriptFolder, 'web'),
  join(root, 'packages/core/src'),
  join(root, 'packages/governor/src'),
];
const sourceFiles = [join(scriptFolder, 'vite.config.ts')];
/** Packages that are bundled into the web app or that build it. */
const sourcePackages = [
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

/** Hashes all inputs of the built web app: as long as the hash is unchanged, no rebuild is needed. */
export function computeSourcesHash(): string {
  const hash = createHash('sha256');
  for (const path of [...sourceFiles.map(toRootPath), ...sourceFolders.flatMap(listSourcePaths)]) {
    const text = readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');
    hash.update(`${path}\0${text.length}\0${text}`);
  }
  for (const [name, version] of readLockedVersions()) hash.update(`${name}@${version}\n`);
  return hash.digest('hex');
}

/** Vite plugin that writes the hash to `dist/sources.json` after the build. */
export function sourcesHashFile(): {
  readonly name: string;
  generateBundle(this: { emitFile(file: { type: 'asset'; fileName: string; source: string }): void }): void;
} {
  return {
    name: 'pawl-sources',
    generateBundle() {
      const source = `${JSON.stringify({ sources: computeSourcesHash() })}\n`;
      this.emitFile({ type: 'asset', fileName: 'sources.json', source });
    },
  };
}

/** Lists the files in the same order on every platform. */
function listSourcePaths(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => toRootPath(join(entry.parentPath, entry.name)))
    .toSorted();
}

function toRootPath(file: string): string {
  return relative(root, file).replaceAll(sep, '/');
}

function readLockedVersions(): readonly (readonly [string, string])[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  return sourcePackages.map((name) => [name, lock.packages[`node_modules/${name}`]?.version ?? 'none']);
}
