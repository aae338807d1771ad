import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../source-files.ts';
import { createNodeVersionArguments } from './node-version-arguments.ts';

const main = `
export async function main(argv: readonly string[]): Promise<number> {
  console.log(JSON.stringify(argv));
  return 5;
}`;

let project = '';

beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'pawl start ')));
  mkdirSync(join(project, 'packages/cli/src'), { recursive: true });
  for (const path of ['scripts/setup', 'scripts/start.mjs', 'packages/cli/bin']) {
    cpSync(join(repositoryRoot, path), join(project, path), { recursive: true });
  }
  writeFileSync(join(project, 'packages/cli/src/main.ts'), main);
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "type": "module" }');
});

afterAll(() => {
  rmSync(project, { recursive: true });
});

function runStart(args: readonly string[], nodeArgs: readonly string[] = []): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [...nodeArgs, 'scripts/start.mjs', ...args], {
    cwd: project,
    encoding: 'utf8',
  });
}

describe('npm start', () => {
  it('runs the setup, then pawl with the same arguments, and exits with its code', () => {
    const run = runStart(['a "question"', '--flag', '--', '$x']);
    expect(run.stderr).toContain('Pawl: ready.');
    expect(JSON.parse(run.stdout)).toEqual(['run', 'a "question"', '--flag', '--', '$x']);
    expect(run.status).toBe(5);
  });

  it('asks a default question without arguments, and prints how to ask another', () => {
    const run = runStart([]);
    expect(JSON.parse(run.stdout)).toEqual([
      'run',
      '--dir',
      join(project, 'docs'),
      expect.stringMatching(/\?$/),
    ]);
    expect(run.stderr).toContain('npm start -- "your question"');
    expect(run.stderr).toMatch(/: npx pawl dashboard last --dir docs\n$/);
  });

  it('stops if the setup fails', () => {
    const run = runStart([], createNodeVersionArguments('18.19.0'));
    expect(run).toMatchObject({ stdout: '', status: 1 });
    expect(run.stderr).toMatch(/^Pawl: setting up needs Node 20 or newer.*\n$/);
  });
});
