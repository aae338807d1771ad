import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildNpmCommand } from '../pack/npm-command.ts';

const root = dirname(dirname(import.meta.dirname));
const packFolder = mkdtempSync(join(tmpdir(), 'pawl-pack-'));
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
  const archives = readdirSync(packed).map((name) => join(packed, name));
  runNpm(empty, 'install', '--prefer-offline', '--no-audit', '--no-fund', ...archives);
});

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
