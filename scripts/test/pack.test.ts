import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = dirname(dirname(import.meta.dirname));
const place = mkdtempSync(join(tmpdir(), 'pawl-pack-'));
const packed = join(place, 'build', 'packed');
const empty = join(place, 'empty');

/** The programs of the workspace run on its own Node; what is installed is run on the one that is named. */
function run(cwd: string, command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

beforeAll(() => {
  run(root, process.execPath, 'scripts/pack.ts', '--no-check', join(place, 'build'));
  mkdirSync(empty);
  writeFileSync(join(empty, 'package.json'), '{ "type": "module" }');
  const archives = readdirSync(packed).map((name) => join(packed, name));
  run(empty, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...archives);
}, 300_000);

afterAll(() => rmSync(place, { recursive: true, force: true }), 60_000);

const agent = `import { createSession } from '@pawl/core';
import { Agent, createScripted } from '@pawl/runtime';

const agent = new Agent({
  session: createSession({ id: 'first', at: Date.now() }),
  model: createScripted([{ text: 'Hello.' }]),
  tools: [],
});
await agent.say('Hi.');
const { turn } = await agent.idle();
console.log(turn.status);
`;

describe('the packed packages, in an empty project', () => {
  it('run an agent', () => {
    writeFileSync(join(empty, 'agent.js'), agent);
    expect(run(empty, process.execPath, 'agent.js').trim()).toBe('waitingForUser');
  });

  it('have types that a strict compiler takes, those of Node alone beside them', () => {
    writeFileSync(join(empty, 'agent.ts'), agent);
    const lines = [
      "import { governMessages } from '@pawl/adapters/messages';",
      "import { observe } from '@pawl/core/governor';",
      "import { startWorker } from '@pawl/worker';",
      'console.log(governMessages, observe, startWorker);',
    ];
    writeFileSync(join(empty, 'more.ts'), lines.join('\n'));
    const options = ['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024', '--strict', '--noEmit'];
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules', '@types')];
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    run(empty, process.execPath, tsc, ...options, '--skipLibCheck', ...types, 'agent.ts', 'more.ts');
  });

  it('bring a command that answers a question about a folder', () => {
    writeFileSync(join(empty, 'notes.md'), '# Notes\n\nThe boiler is serviced every April.\n');
    const bin = join(empty, 'node_modules', '.bin', 'pawl');
    const said = run(empty, process.execPath, bin, 'run', '--store', 'none', 'When is the boiler serviced?');
    expect(said).toContain('notes.md:3');
  });

  // Installs another Node, so it is left to the long tests.
  if (process.env['PAWL_LONG'] === '1') {
    it('run on the next Node too', { timeout: 120_000 }, () => {
      run(place, 'npm', 'install', '--prefix', join(place, 'next'), 'node@^26');
      const node = join(place, 'next', 'node_modules', 'node', 'bin', 'node');
      expect(run(empty, node, '--version')).toMatch(/^v26\./);
      expect(run(empty, node, 'agent.js').trim()).toBe('waitingForUser');
      expect(run(empty, node, join('node_modules', '.bin', 'pawl'), '--version')).toMatch(/^\d/);
    });
  }

  it('are what publint expects of a package', () => {
    const publint = join(root, 'node_modules', 'publint', 'src', 'cli.js');
    for (const name of readdirSync(packed))
      run(root, process.execPath, publint, 'run', join(packed, name), '--strict');
  });

  it('are what attw expects of a package', { timeout: 120_000 }, () => {
    const attw = join(root, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js');
    // The command has nothing that could be imported.
    const libraries = readdirSync(packed).filter((name) => !name.startsWith('pawl-0'));
    expect(libraries.length).toBeGreaterThan(5);
    for (const name of libraries)
      run(root, process.execPath, attw, join(packed, name), '--profile', 'esm-only');
  });
});
