import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listProjectFiles, repositoryRoot } from '../source-files.ts';
import { listImports } from './imports.ts';

const publicPackages = [
  '@pawl/governor',
  '@pawl/core',
  '@pawl/runtime',
  '@pawl/adapters',
  '@pawl/gateway',
  '@pawl/worker',
  '@pawl/telemetry',
  '@pawl/dashboard',
];

/** The allowed dependencies between workspace packages; all others are forbidden. */
const allowedDependencies: Readonly<Record<string, readonly string[]>> = {
  '@pawl/governor': [],
  '@pawl/core': ['@pawl/governor'],
  '@pawl/runtime': ['@pawl/governor', '@pawl/core'],
  '@pawl/adapters': ['@pawl/governor', '@pawl/core'],
  '@pawl/gateway': ['@pawl/governor', '@pawl/core', '@pawl/runtime', '@pawl/adapters'],
  '@pawl/worker': ['@pawl/governor', '@pawl/core', '@pawl/runtime'],
  '@pawl/telemetry': ['@pawl/governor', '@pawl/core', '@pawl/runtime'],
  '@pawl/dashboard': ['@pawl/governor', '@pawl/core', '@pawl/runtime', '@pawl/worker'],
  pawl: publicPackages,
  '@pawl/bench': publicPackages,
};

/** These run anywhere: they import no built-in module and no package but those they may depend on. */
const purePackages: ReadonlySet<string> = new Set(['@pawl/governor', '@pawl/core']);

type DependencyManifest = {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

export type WorkspacePackage = { readonly folder: string; readonly manifest: DependencyManifest };

export function listWorkspacePackages(project: string = repositoryRoot): readonly WorkspacePackage[] {
  const manifests = listProjectFiles('', project).filter((path) =>
    /^(?:packages\/[^/]+|bench)\/package\.json$/.test(path),
  );
  return manifests.map((path) => ({
    folder: dirname(path),
    manifest: JSON.parse(readFileSync(join(project, path), 'utf8')) as DependencyManifest,
  }));
}

/** Returns one line per manifest or import that violates the allowed dependencies. */
export function findDependencyProblems(project: string = repositoryRoot): readonly string[] {
  return listWorkspacePackages(project).flatMap((each) => {
    if (!Object.hasOwn(allowedDependencies, each.manifest.name))
      return [`${each.folder}: no arrows are known for ${each.manifest.name}`];
    return [...findManifestProblems(each), ...findImportProblems(project, each)];
  });
}

function findManifestProblems({ folder, manifest }: WorkspacePackage): readonly string[] {
  const allowed = allowedDependencies[manifest.name] ?? [];
  return [...listDependencyNames(manifest), ...Object.keys(manifest.devDependencies ?? {})]
    .filter((name) => Object.hasOwn(allowedDependencies, name) && !allowed.includes(name))
    .map((name) => `${folder}/package.json: ${manifest.name} may not depend on ${name}`);
}

function findImportProblems(project: string, each: WorkspacePackage): readonly string[] {
  return ['src', 'bin', 'test']
    .filter((part) => existsSync(join(project, each.folder, part)))
    .flatMap((part) => listProjectFiles(`${each.folder}/${part}`, project))
    .filter((file) => /\.(?:[cm]?js|tsx?)$/.test(file))
    .flatMap((file) =>
      listImports(file, readFileSync(join(project, file), 'utf8'))
        .map((specifier) => findImportProblem(each, file, specifier))
        .filter((problem) => problem !== undefined)
        .map((problem) => `${file}: ${problem}`),
    );
}

function findImportProblem(each: WorkspacePackage, file: string, specifier: string): string | undefined {
  const isTest = file.startsWith(`${each.folder}/test/`);
  if (specifier.startsWith('.')) return findPathProblem(each, file, specifier, isTest);
  const name = getPackageName(specifier);
  if (name === each.manifest.name) return undefined;
  if (Object.hasOwn(allowedDependencies, name)) {
    const isAllowed = allowedDependencies[each.manifest.name]?.includes(name);
    return isAllowed ? undefined : `${each.manifest.name} may not import ${name}`;
  }
  return isTest ? undefined : findOutsideProblem(each.manifest, specifier);
}

// A test may import files outside packages, such as examples, and test suites of packages that its own depends on.
function findPathProblem(
  { folder, manifest }: WorkspacePackage,
  file: string,
  specifier: string,
  isTest: boolean,
): string | undefined {
  const target = join(dirname(file), specifier).replaceAll('\\', '/');
  const suites = (allowedDependencies[manifest.name] ?? []).map(
    (name) => `packages/${name.replace('@pawl/', '')}/test/`,
  );
  const mayLeave =
    isTest && (!/^(?:packages|bench)\//.test(target) || suites.some((each) => target.startsWith(each)));
  return target.startsWith(`${folder}/`) || mayLeave
    ? undefined
    : `'${specifier}' reaches out of the package`;
}

function findOutsideProblem(manifest: DependencyManifest, specifier: string): string | undefined {
  if (purePackages.has(manifest.name))
    return `'${specifier}' is outside of ${manifest.name}, which is pure and has no other dependencies`;
  const isDeclared =
    specifier.startsWith('node:') || listDependencyNames(manifest).includes(getPackageName(specifier));
  return isDeclared ? undefined : `'${specifier}' is not among the dependencies in package.json`;
}

/** `@scope/name/part` → `@scope/name`. */
function getPackageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function listDependencyNames(manifest: DependencyManifest): readonly string[] {
  return Object.keys({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  });
}
