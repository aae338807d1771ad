import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesUnder, root } from '../source-files.ts';
import { importsIn } from './imports.ts';

const everything = [
  '@pawl/core',
  '@pawl/runtime',
  '@pawl/adapters',
  '@pawl/worker',
  '@pawl/telemetry',
  '@pawl/dashboard',
];

/** Which package of the workspace may lean on which. There are no other arrows. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  '@pawl/core': [],
  '@pawl/runtime': ['@pawl/core'],
  '@pawl/adapters': ['@pawl/core'],
  '@pawl/worker': ['@pawl/core', '@pawl/runtime'],
  '@pawl/telemetry': ['@pawl/core', '@pawl/runtime'],
  '@pawl/dashboard': ['@pawl/core', '@pawl/runtime', '@pawl/worker'],
  pawl: everything,
  '@pawl/bench': everything,
};

type Manifest = {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

export type Package = { readonly folder: string; readonly manifest: Manifest };

export function packagesOf(project: string = root): readonly Package[] {
  const manifests = filesUnder('', project).filter((path) =>
    /^(?:packages\/[^/]+|bench)\/package\.json$/.test(path),
  );
  return manifests.map((path) => ({
    folder: dirname(path),
    manifest: JSON.parse(readFileSync(join(project, path), 'utf8')) as Manifest,
  }));
}

/** One line for each manifest or import that goes against the arrows. */
export function arrowProblems(project: string = root): readonly string[] {
  return packagesOf(project).flatMap((each) => {
    if (!Object.hasOwn(arrows, each.manifest.name))
      return [`${each.folder}: no arrows are known for ${each.manifest.name}`];
    return [...manifestProblems(each), ...importProblems(project, each)];
  });
}

function manifestProblems({ folder, manifest }: Package): readonly string[] {
  const allowed = arrows[manifest.name] ?? [];
  return [...dependencyNames(manifest), ...Object.keys(manifest.devDependencies ?? {})]
    .filter((name) => Object.hasOwn(arrows, name) && !allowed.includes(name))
    .map((name) => `${folder}/package.json: ${manifest.name} may not depend on ${name}`);
}

function importProblems(project: string, each: Package): readonly string[] {
  return ['src', 'bin', 'test']
    .filter((part) => existsSync(join(project, each.folder, part)))
    .flatMap((part) => filesUnder(`${each.folder}/${part}`, project))
    .filter((file) => /\.(?:[cm]?js|tsx?)$/.test(file))
    .flatMap((file) =>
      importsIn(file, readFileSync(join(project, file), 'utf8'))
        .map((specifier) => importProblem(each, file, specifier))
        .filter((problem) => problem !== undefined)
        .map((problem) => `${file}: ${problem}`),
    );
}

function importProblem(each: Package, file: string, specifier: string): string | undefined {
  const isTest = file.startsWith(`${each.folder}/test/`);
  if (specifier.startsWith('.')) return pathProblem(each, file, specifier, isTest);
  const name = packageName(specifier);
  if (name === each.manifest.name) return undefined;
  if (Object.hasOwn(arrows, name)) {
    const isAllowed = arrows[each.manifest.name]?.includes(name);
    return isAllowed ? undefined : `${each.manifest.name} may not import ${name}`;
  }
  return isTest ? undefined : outsideProblem(each.manifest, specifier);
}

// A test may read what belongs to no package, such as an example, and run the suites of a package that its own leans on.
function pathProblem(
  { folder, manifest }: Package,
  file: string,
  specifier: string,
  isTest: boolean,
): string | undefined {
  const target = join(dirname(file), specifier).replaceAll('\\', '/');
  const suites = (arrows[manifest.name] ?? []).map((name) => `packages/${name.replace('@pawl/', '')}/test/`);
  const mayLeave =
    isTest && (!/^(?:packages|bench)\//.test(target) || suites.some((each) => target.startsWith(each)));
  return target.startsWith(`${folder}/`) || mayLeave
    ? undefined
    : `'${specifier}' reaches out of the package`;
}

function outsideProblem(manifest: Manifest, specifier: string): string | undefined {
  if (manifest.name === '@pawl/core') return `'${specifier}' is outside of core, which depends on nothing`;
  const isDeclared =
    specifier.startsWith('node:') || dependencyNames(manifest).includes(packageName(specifier));
  return isDeclared ? undefined : `'${specifier}' is not among the dependencies in package.json`;
}

/** `@scope/name/part` → `@scope/name`. */
function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function dependencyNames(manifest: Manifest): readonly string[] {
  return Object.keys({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  });
}
