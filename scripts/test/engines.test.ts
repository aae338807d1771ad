import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listProjectFiles, repositoryRoot } from '../source-files.ts';
import { buildNpmCommand } from '../pack/npm-command.ts';

type EnginesManifest = {
  readonly workspaces?: readonly string[];
  readonly engines?: { readonly node?: string };
  readonly devDependencies?: { readonly node?: string };
};

function readProjectFile(path: string): string {
  return readFileSync(join(repositoryRoot, path), 'utf8');
}

function getEngines(path: string): string | undefined {
  return (JSON.parse(readProjectFile(path)) as EnginesManifest).engines?.node;
}

/** The version that a file compares with. */
function findConstant(path: string, pattern: RegExp): string | undefined {
  return pattern.exec(readProjectFile(path))?.[1];
}

const workspaces = listProjectFiles('').filter((path) =>
  /^(?:packages\/[^/]+|bench|eval|sim)\/package\.json$/.test(path),
);
const needed = '24.7.0';

describe('the required Node version', () => {
  it('is the same in every package', () => {
    expect(workspaces.length).toBeGreaterThanOrEqual(10);
    for (const path of workspaces) expect([path, getEngines(path)]).toEqual([path, `>=${needed}`]);
  });

  it.each([
    ['packages/cli/bin/pawl.js', /nodeNeeded = '([\d.]+)'/],
    ['packages/cli/src/commands/doctor/action.ts', /minNodeVersion = '([\d.]+)'/],
    ['scripts/setup/node-version.mjs', /nodeNeeded = '([\d.]+)'/],
  ])('is what %s requires', (path, pattern) => {
    expect(findConstant(path, pattern)).toBe(needed);
  });

  it('is satisfied by the installed Node and by .nvmrc', () => {
    const installed =
      (JSON.parse(readProjectFile('package.json')) as EnginesManifest).devDependencies?.node ?? '';
    expect(installed.replace('^', '').localeCompare(needed, 'en', { numeric: true })).toBeGreaterThan(0);
    expect(readProjectFile('.nvmrc').trim()).toBe(needed.split('.')[0]);
  });

  it('is lower for the setup, which installs a newer one', () => {
    const lowest = findConstant(
      'scripts/setup/node-version.mjs',
      /atLeast\(process\.versions\.node, '(\d+)\.0\.0'\)/,
    );
    expect(getEngines('package.json')).toBe(`>=${lowest}`);
  });
});

describe('the npm command', () => {
  const machine = { env: {}, platform: 'linux', execPath: '/node' } as const;

  it('is the npm that runs the script, on the same Node', () => {
    for (const script of ['/usr/lib/npm-cli.js', String.raw`C:\Program Files\nodejs\npm-cli.js`])
      expect(
        buildNpmCommand(['pack'], { ...machine, platform: 'win32', env: { npm_execpath: script } }),
      ).toEqual({
        file: '/node',
        args: [script, 'pack'],
        shell: false,
      });
  });

  it('is run in a shell on Windows', () => {
    expect(buildNpmCommand(['pack'], machine)).toEqual({ file: 'npm', args: ['pack'], shell: false });
    expect(buildNpmCommand(['pack'], { ...machine, platform: 'win32' }).shell).toBe(true);
  });
});
