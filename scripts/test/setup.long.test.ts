import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../source-files.ts';
import { createNodeVersionArguments } from './node-version-arguments.ts';

const installing = 'Pawl: installing packages; the first time takes about a minute …\n';
const ready = 'Pawl: ready.\n';
const otherFolder = join(tmpdir(), 'pawl-elsewhere');
const quiet = { npm_config_ignore_scripts: 'true', npm_config_json: 'true', npm_config_loglevel: 'silent' };

// A small project with a development dependency of its own, so that no network is needed; in a folder with spaces.
let project = '';

beforeEach(() => {
  project = join(mkdtempSync(join(tmpdir(), 'pawl set-up ')), 'a clone');
  cpSync(join(repositoryRoot, 'scripts/setup'), join(project, 'scripts/setup'), { recursive: true });
  cpSync(join(repositoryRoot, 'scripts/setup.mjs'), join(project, 'scripts/setup.mjs'));
  writeProjectFile('package.json', {
    name: 'project',
    workspaces: ['packages/*'],
    devDependencies: { tool: 'file:./tool' },
  });
  writeProjectFile('tool/package.json', { name: 'tool', version: '1.0.0' });
  writeProjectFile('packages/part/package.json', { name: 'part', version: '1.0.0' });
});

afterEach(() => {
  rmSync(dirname(project), { recursive: true });
});

function writeProjectFile(path: string, content: object | string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), typeof content === 'string' ? content : JSON.stringify(content));
}

type SetupRun = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

async function runSetup(
  env: Readonly<Record<string, string>> = {},
  nodeArgs: readonly string[] = [],
): Promise<SetupRun> {
  const child = spawn(process.execPath, [...nodeArgs, join(project, 'scripts/setup.mjs')], {
    cwd: tmpdir(),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { exitCode, stdout, stderr };
}

function isInstalled(name: string): boolean {
  return existsSync(join(project, 'node_modules', name, 'package.json'));
}

describe('setup', () => {
  it('installs everything, reports it on stderr, and does nothing the second time', async () => {
    const first = await runSetup();
    expect(first).toMatchObject({ exitCode: 0, stdout: '' });
    expect(first.stderr.startsWith(installing)).toBe(true);
    expect(first.stderr.endsWith(ready)).toBe(true);
    expect([isInstalled('tool'), isInstalled('part')]).toEqual([true, true]);
    expect(await runSetup()).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('changes no tracked file', async () => {
    await runSetup();
    expect(existsSync(join(project, 'package-lock.json'))).toBe(false);
  });

  it('reinstalls if a manifest of the workspace changes', async () => {
    await runSetup();
    writeProjectFile('more/package.json', { name: 'more', version: '1.0.0' });
    writeProjectFile('packages/part/package.json', {
      name: 'part',
      version: '1.0.0',
      dependencies: { more: 'file:../../more' },
    });
    expect((await runSetup()).stderr).toContain(installing);
    expect(isInstalled('more')).toBe(true);
  });

  it('reinstalls after an interruption', async () => {
    await runSetup();
    writeProjectFile('packages/part/package.json', {
      name: 'part',
      version: '1.0.0',
      dependencies: { no: 'file:../../no.tgz' },
    });
    expect((await runSetup()).exitCode).toBe(1);
    writeProjectFile('packages/part/package.json', { name: 'part', version: '1.0.0' });
    expect((await runSetup()).stderr).toContain(installing);
  });

  it.each([
    ['NODE_ENV=production and --omit=dev', { NODE_ENV: 'production', npm_config_omit: 'dev' }],
    // In a separate folder, so that a faulty setup does not harm the machine.
    ['--global and --prefix', { npm_config_global: 'true', npm_config_prefix: otherFolder }],
    ['--workspace', { npm_config_workspace: 'part' }],
    [
      '--dry-run and --package-lock-only',
      { npm_config_dry_run: 'true', npm_config_package_lock_only: 'true' },
    ],
    ['--ignore-scripts, --json and --silent', quiet],
  ])('ignores %s of an outer npm', async (_, env) => {
    expect((await runSetup(env)).exitCode).toBe(0);
    expect([isInstalled('tool'), isInstalled('part')]).toEqual([true, true]);
  });

  it('prints the output of npm and one line of advice if npm fails', async () => {
    writeProjectFile('package.json', { name: 'project', devDependencies: { tool: 'file:./nowhere.tgz' } });
    const { exitCode, stderr } = await runSetup(quiet);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('npm error');
    expect(stderr).toMatch(/\nPawl: npm could not install the packages .*: npm run setup\n$/);
  });

  it('rejects an unsupported Node in one line', async () => {
    const { exitCode, stderr } = await runSetup({}, createNodeVersionArguments('18.19.0'));
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Pawl: setting up needs Node 20 or newer, and this is Node 18\.19\.0\. .*\n$/);
  });
});

function putNodePackage(script: string): void {
  writeProjectFile('node/package.json', {
    name: 'node',
    version: '24.0.0',
    bin: 'bin/node',
    scripts: { preinstall: script },
  });
}

describe("the project's own Node", () => {
  const manifest = { name: 'project', devDependencies: { node: 'file:./node' } };
  const fetching = `require('fs').mkdirSync('bin');require('fs').copyFileSync(process.execPath,'bin/node')`;

  beforeEach(() => {
    writeProjectFile('package.json', manifest);
    writeProjectFile('node/fetch.cjs', fetching);
  });

  it('is installed if the system Node is too old, even without install scripts', async () => {
    putNodePackage('node fetch.cjs');
    expect(
      (await runSetup({ npm_config_ignore_scripts: 'true' }, createNodeVersionArguments('20.20.0'))).exitCode,
    ).toBe(0);
    expect(existsSync(join(project, 'node/bin/node'))).toBe(true);
    expect((await runSetup({}, createNodeVersionArguments('20.20.0'))).stderr).toBe('');
  });

  it('is not installed if the system Node is new enough', async () => {
    putNodePackage('node fetch.cjs');
    expect((await runSetup({}, createNodeVersionArguments('26.1.0'))).exitCode).toBe(0);
    expect(existsSync(join(project, 'node/bin/node'))).toBe(false);
  });

  it('may be missing if it cannot be installed and the system Node is new enough', async () => {
    writeProjectFile('package.json', { ...manifest, devDependencies: { node: 'file:./node-99.1.0' } });
    writeProjectFile('node-99.1.0/package.json', {
      name: 'node',
      version: '99.1.0',
      scripts: { preinstall: 'node no.cjs' },
    });
    expect((await runSetup({}, createNodeVersionArguments('24.7.0'))).exitCode).toBe(0);
    expect((await runSetup({}, createNodeVersionArguments('24.7.0'))).stderr).toBe('');
  });

  it('is named in one line if it cannot be installed', async () => {
    putNodePackage('node -e process.exit(1)');
    const { exitCode, stderr } = await runSetup({}, createNodeVersionArguments('20.20.0'));
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/\nPawl: Node 24\.7\.0 could not be fetched\. .*: npm run setup\n$/);
  });
});

describe('two concurrent setups', () => {
  it('install once, and the second waits', async () => {
    const runs = await Promise.all([runSetup(), runSetup(), runSetup()]);
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(runs.filter(({ stderr }) => stderr.includes(installing))).toHaveLength(1);
    expect(existsSync(join(project, 'node_modules/.pawl-setup.lock'))).toBe(false);
  });

  it('do not wait for a crashed one', async () => {
    const ended = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await new Promise((resolve) => ended.once('close', resolve));
    writeProjectFile('node_modules/.pawl-setup.lock', String(ended.pid));
    const runs = await Promise.all([runSetup(), runSetup()]);
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(runs.filter(({ stderr }) => stderr.includes(installing))).toHaveLength(1);
  });

  it('ignore a stale lock', async () => {
    writeProjectFile('node_modules/.pawl-setup.lock', String(process.pid));
    const longAgo = Date.now() / 1000 - 2 * 3600;
    utimesSync(join(project, 'node_modules/.pawl-setup.lock'), longAgo, longAgo);
    expect((await runSetup()).exitCode).toBe(0);
    expect(readFileSync(join(project, 'node_modules/.pawl-setup.stamp'), 'utf8')).toMatch(/^[\da-f]{64}$/);
  });
});
