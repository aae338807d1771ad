import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { availableParallelism, cpus, loadavg } from 'node:os';

/** The machine on which the results were measured. */
export type BenchMachine = {
  readonly node: string;
  readonly v8: string;
  readonly cpu: string;
  readonly cores: number;
  /** Load average of the last minute, including this process. */
  readonly load: number;
};

export function readBenchMachine(): BenchMachine {
  return {
    node: process.version,
    v8: process.versions.v8,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    load: loadavg()[0] ?? Number.NaN,
  };
}

/** Returns the version of an installed package as resolved from a module; by default, from the benchmarks. */
export function getPackageVersion(name: string, from: string = import.meta.url): string {
  const path = findPackageJSON(name, from);
  if (path === undefined) throw new Error(`Expected package ${name} to be installed, found none`);
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string };
  return version;
}
