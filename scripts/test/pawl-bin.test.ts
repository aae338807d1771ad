import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../source-files.ts';
import { createNodeVersionArguments } from './node-version-arguments.ts';

// A workspace as npm lays it out, with a stand-in for the commands behind bin/pawl.js.
const main = `
import { text } from 'node:stream/consumers';
export async function main(argv: readonly string[]): Promise<number> {
  if (argv[0] === 'lines') {
    for (let line = 0; line < 100_000; line += 1) console.log(line);
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  }
  if (argv[0] === 'wait') {
    process.on('SIGTERM', () => process.exit(7));
    console.log('waiting');
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  }
  if (argv[0] === 'die') process.kill(process.pid, 'SIGKILL');
  console.log(JSON.stringify({ argv, input: await text(process.stdin) }));
  return 3;
}`;

let project = '';
let command = '';

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'pawl bin '));
  command = join(project, 'node_modules/.bin/pawl');
  for (const folder of [
    'packages/cli/bin',
    'packages/cli/src',
    'node_modules/.bin',
    'node_modules/node/bin',
  ]) {
    mkdirSync(join(project, folder), { recursive: true });
  }
  for (const file of ['packages/cli/bin/pawl.js', 'packages/cli/bin/cache-folder.cjs'])
    copyFileSync(join(repositoryRoot, file), join(project, file));
  writeFileSync(join(project, 'packages/cli/src/main.ts'), main);
  writeFileSync(join(project, 'packages/cli/package.json'), '{ "type": "module" }');
  symlinkSync('../packages/cli', join(project, 'node_modules/pawl'));
  symlinkSync('../pawl/bin/pawl.js', command);
  symlinkSync(process.execPath, join(project, 'node_modules/node/bin/node'));
  setVersion(process.versions.node);
});

afterAll(() => {
  rmSync(project, { recursive: true });
});

function setVersion(version: string): void {
  writeFileSync(join(project, 'node_modules/node/package.json'), JSON.stringify({ version }));
}

describe.each([
  ['on a supported Node', []],
  ['on an older Node, which starts a newer one', createNodeVersionArguments('20.20.0')],
] as const)('pawl %s', { tags: ['unix'] }, (_, nodeArgs) => {
  it('passes on arguments, input and exit code, from any folder', () => {
    const run = spawnSync(process.execPath, [...nodeArgs, command, 'run', 'a "b" c', '--flag'], {
      cwd: tmpdir(),
      input: 'typed',
      encoding: 'utf8',
    });
    expect(run.stderr).toBe('');
    expect(JSON.parse(run.stdout)).toMatchObject({ argv: ['run', 'a "b" c', '--flag'], input: 'typed' });
    expect(run.status).toBe(3);
  });

  it('ends silently if its output is closed', async () => {
    const child = spawn(process.execPath, [...nodeArgs, command, 'lines'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaint += chunk));
    child.stdout.once('data', () => child.stdout.destroy());
    const [exitCode] = await once(child, 'close');
    expect({ exitCode, complaint }).toEqual({ exitCode: 0, complaint: '' });
  });

  it('receives a termination signal', async () => {
    const child = spawn(process.execPath, [...nodeArgs, command, 'wait'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([7, null]);
  });

  it('ends with the signal that ended its child', () => {
    expect(spawnSync(process.execPath, [...nodeArgs, command, 'die']).signal).toBe('SIGKILL');
  });
});

describe('pawl on an older Node without a newer one', { tags: ['unix'] }, () => {
  it('prints one line with the required version', () => {
    setVersion('22.0.0');
    const run = spawnSync(process.execPath, [...createNodeVersionArguments('20.20.0'), command], {
      encoding: 'utf8',
    });
    setVersion(process.versions.node);
    expect(run.stderr).toMatch(/^pawl needs Node 24\.7\.0 or newer, and this is Node 20\.20\.0\. .*\n$/);
    expect(run.status).toBe(1);
  });
});
