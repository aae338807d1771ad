import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as z from 'zod';
import manifest from '../../../package.json' with { type: 'json' };
import { tryParseJson } from '../../protocols/json-reader.ts';
import { createTrustStore, type TrustedContents } from '../../trust/trust-store.ts';
import { ModelSpecError } from './known-providers.ts';

/*
 * A provider's package is an optional peer. An installed `pawl` finds those that are installed beside it. For all others,
 * it looks in the folder that the user works in: the package of a project is code of that project, so it is loaded only
 * after the user has trusted exactly these files.
 */

/** Where a provider's package is. */
export type ProviderPackageLocation =
  /** Beside Pawl, where it is loaded without further trust. */
  | { readonly kind: 'own' }
  | { readonly kind: 'project'; readonly folder: string; readonly isTrusted: boolean }
  | { readonly kind: 'missing' };

export async function locateProviderPackage(
  name: string,
  workingFolder: string = process.cwd(),
): Promise<ProviderPackageLocation> {
  if (findManifest(name, import.meta.url) !== null) return { kind: 'own' };
  const folder = await findProjectPackage(name, workingFolder);
  if (folder === null) return { kind: 'missing' };
  return { kind: 'project', folder, isTrusted: await isTrustedPackage(folder) };
}

/** Loads a package that is not beside Pawl from the working folder or a folder above it. */
export async function loadProjectPackage<Module>(name: string, workingFolder: string): Promise<Module> {
  const folder = await findProjectPackage(name, workingFolder);
  if (folder === null) {
    const message = `The package ${name} is not installed. Install it with: ${formatInstallCommand(name)}`;
    throw new ModelSpecError('missing-package', message);
  }
  if (!(await isTrustedPackage(folder))) {
    const message =
      `The package ${name} in ${folder} was not loaded, because you have not trusted these files. ` +
      `To use it: ${formatTrustCommand()}. To install it beside Pawl: ${formatInstallCommand(name)}`;
    throw new ModelSpecError('untrusted-package', message);
  }
  // The caller names the parts of the package that it uses.
  return createRequire(join(resolve(workingFolder), 'index.js'))(name) as Module;
}

/** Trusts the package of a project in its current state; resolves to its folder, or to null if there is none. */
export async function trustProjectPackage(name: string, workingFolder: string): Promise<string | null> {
  const folder = await findProjectPackage(name, workingFolder);
  if (folder !== null) await createTrustStore().trust(folder, await hashLoadedFiles(folder));
  return folder;
}

/** Withdraws the trust in a project's package; resolves to whether it was trusted. */
export async function revokeProjectPackage(name: string, workingFolder: string): Promise<boolean> {
  const folder = await findProjectPackage(name, workingFolder);
  return folder !== null && createTrustStore().revoke(folder);
}

async function isTrustedPackage(folder: string): Promise<boolean> {
  return createTrustStore().isTrusted(folder, await hashLoadedFiles(folder));
}

async function findProjectPackage(name: string, workingFolder: string): Promise<string | null> {
  const path = findManifest(name, pathToFileURL(join(resolve(workingFolder), 'index.js')).href);
  return path === null ? null : realpath(dirname(path));
}

function findManifest(name: string, base: string): string | null {
  try {
    return findPackageJSON(name, base) ?? null;
  } catch {
    return null;
  }
}

/** More files than this are not those of a provider's package and what it depends on. */
const loadedFilesMax = 20_000;

/** Hashes all files that loading the package can execute: its own, and those of the packages that it depends on. */
async function hashLoadedFiles(folder: string): Promise<TrustedContents> {
  const contents = new Map<string, string>();
  const folders = new Set([folder]);
  for (const each of folders) {
    await hashPackageFiles(each, contents);
    if (contents.size > loadedFilesMax)
      throw new ModelSpecError(
        'untrusted-package',
        `${folder} and its dependencies have too many files to trust.`,
      );
    for (const dependency of await listDependencies(each)) folders.add(dependency);
  }
  return Object.fromEntries(contents);
}

async function hashPackageFiles(folder: string, contents: Map<string, string>): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    // Packages in it are dependencies, or not loaded.
    if (relative(folder, path).split(sep).includes('node_modules')) continue;
    if (entry.isFile())
      contents.set(
        path,
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      );
    else if (entry.isSymbolicLink()) contents.set(path, `link to ${await readlink(path)}`);
  }
}

const dependencyNamesSchema = z.record(z.string(), z.unknown()).optional();
const dependenciesSchema = z.object({
  dependencies: dependencyNamesSchema,
  optionalDependencies: dependencyNamesSchema,
  peerDependencies: dependencyNamesSchema,
});

async function listDependencies(folder: string): Promise<readonly string[]> {
  const path = join(folder, 'package.json');
  const parsed = dependenciesSchema.safeParse(tryParseJson(await readFile(path, 'utf8')));
  const { dependencies, optionalDependencies, peerDependencies } = parsed.data ?? {};
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  const paths = names.map((name) => findManifest(name, pathToFileURL(path).href));
  return Promise.all(paths.flatMap((each) => (each === null ? [] : [realpath(dirname(each))])));
}

/** How Pawl is installed, and the folder that contains its `node_modules`, or the clone. */
type PawlInstallation = { readonly kind: 'clone' | 'npx' | 'project' | 'global'; readonly root: string };

function findInstallation(): PawlInstallation {
  const parts = fileURLToPath(import.meta.url).split(sep);
  const at = parts.indexOf('node_modules');
  if (at === -1) return { kind: 'clone', root: fileURLToPath(new URL('../../../../../', import.meta.url)) };
  const root = parts.slice(0, at).join(sep);
  if (parts.slice(0, at).includes('_npx')) return { kind: 'npx', root };
  return { kind: existsSync(join(root, 'package.json')) ? 'project' : 'global', root };
}

/** The command that installs a provider's package where this installation of Pawl finds it. */
export function formatInstallCommand(name: string): string {
  const ranges: Readonly<Record<string, string>> = manifest.peerDependencies;
  const major = /\d+/.exec(ranges[name] ?? '')?.[0];
  const wanted = major === undefined ? name : `${name}@${major}`;
  const { kind, root } = findInstallation();
  switch (kind) {
    case 'clone':
      return `npm install --prefix ${quotePath(resolve(root))}`;
    case 'npx':
      return `npm install ${wanted} && ${formatTrustCommand()}`;
    case 'project':
      return root === process.cwd()
        ? `npm install ${wanted}`
        : `npm install --prefix ${quotePath(root)} ${wanted}`;
    case 'global': {
      // On Windows the packages are in the prefix itself.
      const prefix = process.platform === 'win32' ? root : dirname(root);
      const isDefault = prefix === dirname(dirname(process.execPath));
      return `npm install --global ${isDefault ? '' : `--prefix ${quotePath(prefix)} `}${wanted}`;
    }
    default:
      return kind satisfies never;
  }
}

/** The command that trusts the packages in the working folder. */
export function formatTrustCommand(): string {
  const { kind } = findInstallation();
  return kind === 'npx' || kind === 'project' ? 'npx pawl trust' : 'pawl trust';
}

function quotePath(path: string): string {
  return /^[\w./\\:@~+-]+$/.test(path) ? path : JSON.stringify(path);
}
