/** Writes THIRD-PARTY.md: what of others is in `dist`, with their licences. Part of `npm run build -w packages/dashboard`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** What the pages import themselves; what these import in turn is found from there. */
const imported = ['react', 'react-dom', '@xyflow/react', '@tanstack/react-virtual', 'elkjs', 'uplot'];
/** In their manifests for their types alone. */
const onlyTypes = /^(?:@types\/|csstype$)/;

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly homepage?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
};

type Found = { readonly manifest: Manifest; readonly folder: string };

function find(name: string, from: string, found: Map<string, Found>): ReadonlyMap<string, Found> {
  const path = findPackageJSON(name, from);
  if (path === undefined) throw new Error(`Expected ${name} to be installed, found none. Run: npm install`);
  if (found.has(path) || onlyTypes.test(name)) return found;
  const manifest = createRequire(path)(path) as Manifest;
  found.set(path, { manifest, folder: dirname(path) });
  for (const dependency of Object.keys(manifest.dependencies ?? {})) find(dependency, path, found);
  return found;
}

const found = new Map<string, Found>();
for (const name of imported) find(name, import.meta.filename, found);
const sections = [...found.values()]
  .toSorted((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1))
  .map(({ manifest: { name, version, license = 'unknown' }, folder }) => {
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text =
      file === undefined ? '' : `\n\n\`\`\`text\n${readFileSync(join(folder, file), 'utf8').trim()}\n\`\`\``;
    return `## ${name} ${version}\n\n${license}${text}`;
  });
const page = [
  '# What of others is in `dist`',
  'The pages of the dashboard are built from these packages, unchanged; their sources are in the npm registry under these names and versions. elkjs is taken under EPL-2.0.',
  ...sections,
];
writeFileSync(join(dirname(import.meta.dirname), 'THIRD-PARTY.md'), `${page.join('\n\n')}\n`);
