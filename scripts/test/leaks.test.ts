import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findLeaks, readMachineTraits } from '../checks/leaks.ts';
import { listWorkspacePackages } from '../checks/package-dependencies.ts';
import { listProjectFiles, repositoryRoot } from '../source-files.ts';

// Concatenated, because the test reads this file too.
const registryUrl = ['https:', '', ['registry', 'example', 'org'].join('.'), 'pawl'].join('/');

function registryOfThisMachine(): string {
  const shell = process.platform === 'win32';
  return execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
    stdio: 'pipe',
    shell,
  }).trim();
}

describe('the files of this project', () => {
  it('contain no registry URL and no local path', () => {
    const machine = readMachineTraits(registryOfThisMachine());
    const leaks = listProjectFiles('').flatMap((path) =>
      findLeaks(readFileSync(join(repositoryRoot, path), 'utf8'), machine).map((leak) => `${path}: ${leak}`),
    );
    expect(leaks).toEqual([]);
  });

  it('have a lockfile that matches every manifest and contains no URL', () => {
    const lockfile = readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8');
    expect(lockfile).not.toMatch(/"resolved": "\w+:/);
    const { packages } = JSON.parse(lockfile) as { packages: Record<string, { dependencies?: object }> };
    for (const { folder, manifest } of listWorkspacePackages()) {
      expect(packages[folder]?.dependencies, `${folder} in package-lock.json; run npm install`).toEqual(
        manifest.dependencies,
      );
    }
  });
});

describe('the leak check', () => {
  const machine = { hosts: ['packages.example.net'], folders: ['/srv/checkout'] };

  it('finds a registry URL', () => {
    expect(findLeaks(`"resolved": "${registryUrl}"`, machine)).toEqual([registryUrl.slice(6, -5)]);
  });

  it('finds the registry host and the folders of this machine', () => {
    expect(findLeaks('see https://packages.example.net/npm', machine)).toEqual(['packages.example.net']);
    expect(findLeaks('at step (/srv/checkout/packages/core)', machine)).toEqual(['/srv/checkout']);
  });

  it('ignores a path that only has the same ending', () => {
    expect(findLeaks('see examples/srv/checkout/main.ts', machine)).toEqual([]);
  });

  it('ignores the word registry in code and prose', () => {
    expect(findLeaks('const registry = tools.registry.get(name); // the package registry', machine)).toEqual(
      [],
    );
  });
});
