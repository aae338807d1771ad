import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listProjectFiles, repositoryRoot } from '../source-files.ts';

type VersionedManifest = {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
};

const readText = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');
const { version } = JSON.parse(readText('package.json')) as VersionedManifest;
const manifests = listProjectFiles('').filter((path) =>
  /^(?:packages\/[^/]+|bench|eval|sim)\/package\.json$/.test(path),
);
const lockfile = JSON.parse(readText('package-lock.json')) as {
  readonly version: string;
  readonly packages: Readonly<Record<string, VersionedManifest>>;
};

function listOwnVersions({ version: own, dependencies = {} }: VersionedManifest): readonly string[] {
  const required = Object.entries(dependencies).filter(([name]) => name.startsWith('@pawl/'));
  return [own, ...required.map(([, range]) => range)];
}

describe('the version', () => {
  it('is the same in all packages and in their dependencies on each other', () => {
    expect(manifests.length).toBeGreaterThan(10);
    const versions = manifests.flatMap((path) =>
      listOwnVersions(JSON.parse(readText(path)) as VersionedManifest),
    );
    expect([...new Set(versions)]).toEqual([version]);
  });

  it('is the same in the lockfile', () => {
    const folders = ['', ...manifests.map((path) => path.replace(/\/package\.json$/, ''))];
    const versions = folders.flatMap((folder) => {
      const entry = lockfile.packages[folder];
      return entry === undefined ? [`no entry for ${folder}`] : listOwnVersions(entry);
    });
    expect([...new Set([lockfile.version, ...versions])]).toEqual([version]);
  });

  it('has a dated section in the changelog, below Pending', () => {
    const headings = [...readText('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings[0]).toBe('Pending');
    expect(headings[1]).toMatch(
      new RegExp(`^${version.replaceAll('.', String.raw`\.`)} \\(\\d{4}-\\d\\d-\\d\\d\\)$`),
    );
  });
});
