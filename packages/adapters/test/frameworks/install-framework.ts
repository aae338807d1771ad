import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildNpmCommand } from '../../../../scripts/pack/npm-command.ts';
import { repositoryRoot } from '../../../../scripts/source-files.ts';

/** The packages to install, with their version ranges. */
export type FrameworkPackages = Readonly<Record<string, string>>;

export type InstalledFramework = {
  readonly folder: string;
  /** Why it could not be installed; null if it was. */
  readonly problem: string | null;
  /** Imports a package from the folder. The caller names the parts that it uses. */
  readonly load: <Module>(name: string) => Promise<Module>;
};

/** Selects the version to test: the newest of a range, and in soaks the oldest. Two versions do not share a process. */
export function selectVersion(oldest: string, newest: string): string {
  return process.env['PAWL_SOAK'] === '1' ? oldest : newest;
}

/**
 * Installs a framework that is too large for the dependencies of the project, in a folder that is kept for later runs.
 * The folder is inside the project, so that its packages import Pawl as a user's would. Install scripts are not run.
 */
export function installFramework(name: string, packages: FrameworkPackages): InstalledFramework {
  const folder = join(repositoryRoot, 'node_modules', '.cache', 'pawl-frameworks', name);
  const load = async <Module>(specifier: string): Promise<Module> => {
    const entry = join(folder, `${specifier.replaceAll(/\W/g, '-')}.mjs`);
    writeFileSync(entry, `export * from '${specifier}';\n`);
    return (await import(pathToFileURL(entry).href)) as Module;
  };
  return { folder, load, problem: installPackages(folder, packages) };
}

/** The key contains the versions, so that a new range is installed again. */
function installPackages(folder: string, packages: FrameworkPackages): string | null {
  const installed = join(folder, `${JSON.stringify(packages).replaceAll(/[^\w.]+/g, '_')}.installed`);
  if (existsSync(installed)) return null;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, type: 'module', dependencies: packages };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const npm = buildNpmCommand([
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
  ]);
  const env = {
    ...Object.fromEntries(
      Object.entries(process.env).filter(([key]) => !/^npm_(?!execpath|config_registry)/i.test(key)),
    ),
    PATH: [dirname(process.execPath), process.env['PATH']].join(process.platform === 'win32' ? ';' : ':'),
  };
  const { status, stderr } = spawnSync(npm.file, npm.args, {
    cwd: folder,
    env,
    shell: npm.shell,
    encoding: 'utf8',
    timeout: 240_000,
  });
  if (status !== 0) return `cannot install ${Object.keys(packages).join(', ')}: ${stderr}`;
  writeFileSync(installed, '');
  return null;
}
