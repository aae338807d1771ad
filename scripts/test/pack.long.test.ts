import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOpenAiServer, type OpenAiServer } from '../../packages/cli/test/openai-server.ts';
import { buildNpmCommand } from '../pack/npm-command.ts';

const root = dirname(dirname(import.meta.dirname));
const packFolder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-pack-')));
const packed = join(packFolder, 'build', 'packed');
const empty = join(packFolder, 'empty');

/** Runs a command as a user would in a shell, with the Node of this project first in PATH. */
function runCommand(cwd: string, command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

// Remove the settings that an outer `npm test` passes on, because they would apply to the test's project.
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
};

function runNpm(cwd: string, ...args: readonly string[]): string {
  const npm = buildNpmCommand(args);
  return execFileSync(npm.file, npm.args, {
    cwd,
    env,
    encoding: 'utf8',
    shell: npm.shell,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

beforeAll(() => {
  runNpm(root, 'run', 'pack', '--', join(packFolder, 'build'));
  mkdirSync(empty);
  writeFileSync(join(empty, 'package.json'), '{ "type": "module" }');
  runNpm(empty, 'install', ...installFlags, ...listArchives());
});

const installFlags = ['--prefer-offline', '--no-audit', '--no-fund'];

function listArchives(): readonly string[] {
  return readdirSync(packed).map((name) => join(packed, name));
}

function listPackageFolders(): readonly string[] {
  return readdirSync(join(root, 'packages'));
}

afterAll(() => rmSync(packFolder, { recursive: true, force: true }));

const agent = `import { createSession } from '@pawl/core';
import { Agent } from '@pawl/runtime';
import { createScriptedModel } from '@pawl/runtime/models';

const agent = new Agent({
  session: createSession({ id: 'first', at: Date.now() }),
  model: createScriptedModel([{ text: 'Hello.' }]),
  tools: [],
});
await agent.sendMessage('Hi.');
const { turn } = await agent.waitUntilIdle();
console.log(turn.status);
`;

describe('the packed packages, in an empty project', () => {
  it('run an agent', () => {
    writeFileSync(join(empty, 'agent.js'), agent);
    expect(runCommand(empty, process.execPath, 'agent.js').trim()).toBe('waitingForUser');
  });

  it.each(listPackageFolders())('%s ships its own README and the license', (folder) => {
    const { name } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')) as {
      readonly name: string;
    };
    const installed = join(empty, 'node_modules', name);
    const readme = readFileSync(join(root, 'packages', folder, 'README.md'), 'utf8');
    expect(readme).toMatch(new RegExp(`^# ${name}\n`));
    expect(readFileSync(join(installed, 'README.md'), 'utf8')).toBe(readme);
    expect(readdirSync(installed)).toContain('LICENSE');
  });

  it('compile with a strict compiler that has only the types of Node', () => {
    writeFileSync(join(empty, 'agent.ts'), agent);
    const lines = [
      "import { governMessages } from '@pawl/adapters/messages';",
      "import { observeCall } from '@pawl/governor';",
      "import { screenCalls } from '@pawl/governor/hook';",
      "import { startWorker } from '@pawl/worker';",
      'console.log(governMessages, observeCall, screenCalls, startWorker);',
    ];
    writeFileSync(join(empty, 'more.ts'), lines.join('\n'));
    const options = ['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024', '--strict', '--noEmit'];
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules', '@types')];
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    runCommand(empty, process.execPath, tsc, ...options, '--skipLibCheck', ...types, 'agent.ts', 'more.ts');
  });

  it('contain a command that npx runs and that answers a question about a folder', () => {
    mkdirSync(join(empty, 'some folder'));
    writeFileSync(join(empty, 'some folder', 'notes.md'), '# Notes\n\nThe boiler is serviced every April.\n');
    const question = ['When is the boiler serviced?', '--dir', 'some folder'];
    expect(runCommand(empty, 'node', '--version')).toMatch(/^v(?:2[4-9]|[3-9]\d)\./);
    expect(runCommand(empty, 'npx', 'pawl', 'run', ...question)).toContain('notes.md:3');
  });

  // Installs another Node, so only the soak tests run it.
  if (process.env['PAWL_SOAK'] === '1') {
    it('run on Node 26', () => {
      runNpm(packFolder, 'install', '--prefix', join(packFolder, 'next'), 'node@^26');
      const node = join(packFolder, 'next', 'node_modules', 'node', 'bin', 'node');
      expect(runCommand(empty, node, '--version')).toMatch(/^v26\./);
      expect(runCommand(empty, node, 'agent.js').trim()).toBe('waitingForUser');
      expect(runCommand(empty, node, join('node_modules', '.bin', 'pawl'), '--version')).toMatch(/^\d/);
    });
  }

  it('pass publint', () => {
    const publint = join(root, 'node_modules', 'publint', 'src', 'cli.js');
    for (const name of readdirSync(packed))
      runCommand(root, process.execPath, publint, 'run', join(packed, name), '--strict');
  });

  it('pass attw', () => {
    const attw = join(root, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js');
    // The command exports nothing.
    const libraries = readdirSync(packed).filter((name) => !name.startsWith('pawl-0'));
    expect(libraries.length).toBeGreaterThan(5);
    for (const name of libraries)
      runCommand(root, process.execPath, attw, join(packed, name), '--profile', 'esm-only');
  });
});

describe('an installed pawl without packages of providers', { tags: ['unix'] }, () => {
  const prefix = join(packFolder, 'prefix');
  const globalPawl = [join(prefix, 'bin', 'pawl')];
  const providerPackage = '@ai-sdk/openai-compatible';
  let server: OpenAiServer;

  beforeAll(async () => {
    runNpm(packFolder, 'install', '--global', '--prefix', prefix, ...installFlags, ...listArchives());
    server = await startOpenAiServer();
    server.says = () => 'Every April.';
  });

  afterAll(() => server.close());

  /** Asks a model in a folder; resolves to everything that was printed. */
  function ask(
    cwd: string,
    [command = '', ...before]: readonly string[],
    ...args: readonly string[]
  ): Promise<string> {
    const all = [...before, ...(args.length > 0 ? args : ['run', '--model', 'openai-compatible:m', 'When?'])];
    const runEnv = { ...env, XDG_CONFIG_HOME: join(packFolder, 'config'), PAWL_BASE_URL: server.url };
    return new Promise((resolve) => {
      execFile(command, all, { cwd, env: runEnv }, (_, stdout, stderr) => resolve(`${stdout}${stderr}`));
    });
  }

  /** A project that writes a file when the code of its package is executed. */
  function createProject(name: string, ...packages: readonly string[]): string {
    const folder = join(packFolder, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{}');
    runNpm(folder, 'install', ...installFlags, ...packages);
    const path = join(folder, 'node_modules', providerPackage, 'dist', 'index.js');
    if (!existsSync(path)) return folder;
    const trace = JSON.stringify(join(folder, 'executed'));
    const spy = `import { writeFileSync as write } from 'node:fs';\nwrite(${trace}, '');\n`;
    writeFileSync(path, spy + readFileSync(path, 'utf8'));
    return folder;
  }

  it('uses the package of a project that the user trusts, and executes none before', async () => {
    const project = createProject('trusting', `${providerPackage}@3`);
    const refused = await ask(project, globalPawl);
    expect(refused).toContain('you have not trusted these files');
    expect(refused).not.toMatch(/^\s+at /m);
    expect(await ask(project, globalPawl, 'doctor')).toContain('not trusted');
    const trust = findCommand(refused, 'pawl trust')
      .slice(0, 2)
      .map((word) => word.replace(/\.$/, ''));
    expect(existsSync(join(project, 'executed'))).toBe(false);
    expect(await ask(project, globalPawl, ...trust.slice(1))).toContain(`${providerPackage} in ${project}`);
    expect(existsSync(join(project, 'executed'))).toBe(false);
    expect(await ask(project, globalPawl)).toContain('Every April.');
    expect(existsSync(join(project, 'executed'))).toBe(true);
    expect(await ask(project, globalPawl, 'doctor')).toContain(
      `${providerPackage} is installed in ${project}`,
    );
  });

  it('advises a project that has it as a dependency with a command that works', async () => {
    const project = createProject('dependent', ...listArchives());
    const missing = await ask(project, ['npx', 'pawl']);
    const [, ...install] = findCommand(missing, 'npm install');
    runNpm(project, ...install, '--prefer-offline');
    expect(await ask(project, ['npx', 'pawl'])).toContain('Every April.');
    mkdirSync(join(project, 'below'));
    expect(await ask(join(project, 'below'), ['npx', 'pawl'])).toContain('Every April.');
  });

  it('advises npx with a command that works', async () => {
    const project = createProject('npx');
    const archives = listArchives().flatMap((path) => ['--package', path]);
    const npx = ['npx', '--yes', ...archives, 'pawl'];
    const missing = await ask(project, npx);
    const install = findCommand(missing, 'npm install');
    expect(install.slice(3)).toEqual(['&&', 'npx', 'pawl', 'trust']);
    runNpm(project, ...install.slice(1, 3), '--prefer-offline');
    expect(await ask(project, npx, 'trust')).toContain('is now trusted');
    expect(await ask(project, npx)).toContain('Every April.');
  });

  it('advises a global installation with a command that works, after which no trust is needed', async () => {
    const project = createProject('global');
    const [, ...install] = findCommand(await ask(project, globalPawl), 'npm install');
    expect(install).toEqual(['install', '--global', '--prefix', prefix, `${providerPackage}@3`]);
    expect(await ask(project, globalPawl, 'doctor')).toContain(['npm', ...install].join(' '));
    runNpm(project, ...install, '--prefer-offline');
    expect(await ask(project, globalPawl)).toContain('Every April.');
    // What is installed beside Pawl comes first.
    const other = createProject('untrusted', `${providerPackage}@3`);
    expect(await ask(other, globalPawl)).toContain('Every April.');
    expect(existsSync(join(other, 'executed'))).toBe(false);
  });
});

/** The command of an advice, without the words before it. */
function findCommand(printed: string, start: string): readonly string[] {
  const line = printed.split('\n').find((each) => each.includes(start)) ?? expect.fail(printed);
  return line.slice(line.indexOf(start)).trim().split(' ');
}
