/**
 * Writes THIRD-PARTY.md, which lists the third-party code in `dist` and its licenses. Part of `npm run build -w
 * packages/dashboard`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** Direct imports of the web app; their dependencies are found from there. */
const importedPackages = ['react', 'react-dom', '@xyflow/react', '@tanstack/react-virtual', 'elkjs', 'uplot'];
/** Dependencies that are used only for their types. */
const typeOnlyPackages = /^(?:@types\/|csstype$)/;

type PackageManifest = {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly homepage?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
};

type FoundPackage = { readonly manifest: PackageManifest; readonly folder: string };

function findPackage(
  name: string,
  from: string,
  found: Map<string, FoundPackage>,
): ReadonlyMap<string, FoundPackage> {
  const path = findPackageJSON(name, from);
  if (path === undefined) throw new Error(`Expected ${name} to be installed, found none. Run: npm install`);
  if (found.has(path) || typeOnlyPackages.test(name)) return found;
  const manifest = createRequire(path)(path) as PackageManifest;
  found.set(path, { manifest, folder: dirname(path) });
  for (const dependency of Object.keys(manifest.dependencies ?? {})) findPackage(dependency, path, found);
  return found;
}

const foundPackages = new Map<string, FoundPackage>();
for (const name of importedPackages) findPackage(name, import.meta.filename, foundPackages);
const licenseSections = [...foundPackages.values()]
  .toSorted((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1))
  .map(({ manifest: { name, version, license = 'unknown' }, folder }) => {
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text =
      file === undefined ? '' : `\n\n\`\`\`text\n${readFileSync(join(folder, file), 'utf8').trim()}\n\`\`\``;
    return `## ${name} ${version}\n\n${license}${text}`;
  });
const licensesPage = [
  '# Third-party code in `dist`',
  'The dashboard pages are built from these unmodified packages; their sources are in the npm registry under these names and versions. elkjs is used under EPL-2.0.',
  ...licenseSections,
];
writeFileSync(join(dirname(import.meta.dirname), 'THIRD-PARTY.md'), `${licensesPage.join('\n\n')}\n`);
