/** The parts of a package.json that describe where its files are. */
export type PublishManifest = {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly exports?: { readonly [path: string]: unknown };
  readonly [field: string]: unknown;
};

/** Folder for compiled files; `dist` contains the dashboard's web app. */
export const compiledFolder = 'lib';

/** Converts a manifest for publishing: paths point to the compiled files, and development-only fields are removed. */
export function toPublishedManifest(source: PublishManifest): PublishManifest {
  const { devDependencies: _, scripts: __, exports, ...manifest } = source;
  const files = manifest.files.map((file) => (file === 'src' ? compiledFolder : file));
  if (exports === undefined) return { ...manifest, files };
  const entries = Object.entries(exports).map(([path, file]) => [path, toCompiledEntry(String(file))]);
  return { ...manifest, files, exports: Object.fromEntries(entries) as PublishManifest['exports'] & object };
}

function toCompiledEntry(file: string): { readonly types: string; readonly default: string } {
  const stem = file.replace('./src/', `./${compiledFolder}/`).replace(/\.ts$/, '');
  return { types: `${stem}.d.ts`, default: `${stem}.js` };
}
