/** The parts of a package.json that say where its files are. */
export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly exports?: { readonly [path: string]: unknown };
  readonly [field: string]: unknown;
};

/** Where what is compiled goes; `dist` is the dashboard's pages. */
export const compiledFolder = 'lib';

/** What a package says of itself once it is compiled: where its files are then, without what only we need. */
export function publishedManifest(source: Manifest): Manifest {
  const { devDependencies: _, scripts: __, exports, ...manifest } = source;
  const files = manifest.files.map((file) => (file === 'src' ? compiledFolder : file));
  if (exports === undefined) return { ...manifest, files };
  const entries = Object.entries(exports).map(([path, file]) => [path, compiled(String(file))]);
  return { ...manifest, files, exports: Object.fromEntries(entries) as Manifest['exports'] & object };
}

function compiled(file: string): { readonly types: string; readonly default: string } {
  const stem = file.replace('./src/', `./${compiledFolder}/`).replace(/\.ts$/, '');
  return { types: `${stem}.d.ts`, default: `${stem}.js` };
}
