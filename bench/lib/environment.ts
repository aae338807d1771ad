import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { availableParallelism, cpus, loadavg } from 'node:os';

/** Where numbers were measured; without it they mean nothing. */
export type Environment = {
  readonly node: string;
  readonly v8: string;
  readonly cpu: string;
  readonly cores: number;
  /** How many tasks wanted a core in the last minute, this one included. */
  readonly load: number;
};

export function environment(): Environment {
  return {
    node: process.version,
    v8: process.versions.v8,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    load: loadavg()[0] ?? Number.NaN,
  };
}

/** The version of an installed package, as a module sees it; without one, as the benches do. */
export function versionOf(name: string, from: string = import.meta.url): string {
  const path = findPackageJSON(name, from);
  if (path === undefined) throw new Error(`Expected package ${name} to be installed, found none`);
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string };
  return version;
}
