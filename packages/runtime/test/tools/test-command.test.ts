import { existsSync } from 'node:fs';
import type { Json } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import { passthroughSandbox } from '../../src/sandbox/command-sandbox.ts';
import { createAskUserTool } from '../../src/tools/ask-user.ts';
import { createTestTool, detectTestCommand } from '../../src/tools/test-command.ts';
import { createTempFolder, type TempFolder } from '../search/temp-folder.ts';
import { matchRefusal, runTestTool } from './run-test-tool.ts';

const runTestCommandTool = ({ root }: TempFolder, command: string | null, args: Json = {}) =>
  runTestTool(
    createTestTool({ root, sandbox: passthroughSandbox, ...(command !== null && { command }) }),
    args,
  );

const formatManifest = (line: string): string => JSON.stringify({ scripts: { test: line } });

describe('running the tests', { tags: ['unix'] }, () => {
  it('counts what passed and failed; failing tests are a result, not an error', async () => {
    using folder = createTempFolder();
    const command = 'echo "  3 passing (1ms)"; echo "  1 failing"; exit 1';
    expect(await runTestCommandTool(folder, command)).toEqual({
      ok: true,
      output: { command, exitCode: 1, passed: 3, failed: 1, output: '  3 passing (1ms)\n  1 failing\n' },
      tests: { passed: 3, failed: 1 },
    });
  });

  it('detects the test command of the project, and runs a real test runner', async () => {
    using folder = createTempFolder({
      'package.json': JSON.stringify({ scripts: { test: `"${process.execPath}" --test` } }),
      'sum.test.mjs':
        "import test from 'node:test'; import assert from 'node:assert';\n" +
        "test('adds', () => assert.equal(1 + 1, 2)); test('fails', () => assert.equal(1, 2));",
    });
    expect(await runTestCommandTool(folder, null)).toMatchObject({
      ok: true,
      tests: { passed: 1, failed: 1 },
    });
  });

  it('is an error if the tests could not be run', async () => {
    using folder = createTempFolder();
    expect(await runTestCommandTool(folder, 'echo "SyntaxError: oops"; exit 1')).toEqual(
      matchRefusal('failed', /ended with exit code 1, but no test failed\.\nSyntaxError: oops/),
    );
    expect(await runTestCommandTool(folder, null)).toEqual(
      matchRefusal('failed', /test command of this project is unknown/),
    );
  });

  it.each([
    ["a'; touch pwned; '"],
    ['$(touch pwned)'],
    ['`touch pwned`'],
    ['a\ntouch pwned'],
    ['; touch pwned #'],
  ])('passes an argument unchanged: %j', async (arg) => {
    using folder = createTempFolder();
    const result = await runTestCommandTool(folder, `printf '%s|'`, { args: [arg, 'b c'] });
    expect(result).toMatchObject({ ok: true, output: { output: `${arg}|b c|` } });
    expect(existsSync(folder.at('pwned'))).toBe(false);
  });
});

describe('the command that runs the tests', { tags: ['unix'] }, () => {
  it.each([
    [{ 'package.json': formatManifest('vitest run') }, 'npm test'],
    [{ 'package.json': formatManifest('vitest run'), 'pnpm-lock.yaml': '' }, 'pnpm test'],
    [{ 'package.json': formatManifest('jest'), 'yarn.lock': '' }, 'yarn test'],
    [{ 'package.json': formatManifest('echo "Error: no test specified" && exit 1') }, null],
    [{ 'package.json': '{"scripts": {"test": 7}}' }, null],
    [{ 'package.json': 'not json' }, null],
    [{ 'Cargo.toml': '' }, 'cargo test'],
    [{ 'go.mod': '' }, 'go test -v ./...'],
    [{ 'pyproject.toml': '' }, 'pytest'],
    [{}, null],
  ] as const)('is found from %j', async (files, command) => {
    using folder = createTempFolder(files);
    expect(await detectTestCommand(folder.root)).toBe(command);
  });
});

describe('asking the user', { tags: ['unix'] }, () => {
  it('returns the answer as text', async () => {
    const tool = createAskUserTool(async ({ question, options }) => `${question} ${options.join('/')}`);
    expect(await runTestTool(tool, { question: 'Which?', options: ['a', 'b'] })).toEqual({
      ok: true,
      output: { answer: 'Which? a/b' },
    });
  });

  it('reports if no user is available, and rejects an empty question', async () => {
    const noUser = matchRefusal('failed', /No user is available to answer\. Decide/);
    expect(await runTestTool(createAskUserTool(null), { question: 'Which?' })).toEqual(noUser);
    expect(
      await runTestTool(
        createAskUserTool(async () => null),
        { question: 'Which?' },
      ),
    ).toEqual(noUser);
    expect(await runTestTool(createAskUserTool(null), { question: '  ' })).toMatchObject({
      error: { kind: 'invalid' },
    });
  });
});
