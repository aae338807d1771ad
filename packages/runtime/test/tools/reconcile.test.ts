import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Json } from '@pawl/core';
import { describe, expect, it } from 'vitest';
import { passthroughSandbox } from '../../src/sandbox/command-sandbox.ts';
import { createEditTool } from '../../src/tools/edit.ts';
import { commandMarkVariable } from '../../src/tools/stream-command.ts';
import { createShellTool } from '../../src/tools/shell.ts';
import type { Tool, ExecutionHandle, ToolResult } from '../../src/tools/tool.ts';
import { createWorkspace } from '../../src/tools/workspace.ts';
import { createWriteTool } from '../../src/tools/write.ts';
import { createTempFolder } from '../search/temp-folder.ts';
import { countProcesses } from './running-processes.ts';

const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');
const { signal } = new AbortController();

/** Runs a call up to the point where it says what it is about to do; `shouldContinue` is whether it then does it. */
async function runUntilIntent(
  tool: Tool,
  args: Json,
  shouldContinue: boolean,
): Promise<{ intent: Json; result: ToolResult }> {
  let intent: Json = null;
  const execution: ExecutionHandle = {
    id: 'abc',
    recordIntent: (recorded) => {
      intent = recorded;
      return Promise.resolve(shouldContinue);
    },
    appendOutput: () => undefined,
  };
  const result = await tool.run(args, { signal, report: () => undefined, execution });
  return { intent, result };
}

const reconcileTool = (tool: Tool, args: Json, intent: Json): Promise<unknown> | undefined =>
  tool.reconcile?.(args, { execution: 'abc', startedAt: 5, intent, output: null, signal });

describe('an interrupted file change', () => {
  const cases = [
    ['write', createWriteTool, { path: 'sub/a.txt', content: 'new' }],
    ['edit', createEditTool, { path: 'sub/a.txt', old: 'old', new: 'new' }],
  ] as const;

  it.each(cases)(
    'by %s is recorded before it is made, with the hashes before and after',
    async (_, create, args) => {
      using folder = createTempFolder({ 'sub/a.txt': 'old' });
      const { intent, result } = await runUntilIntent(create(createWorkspace(folder.root)), args, false);
      expect(intent).toEqual({ path: 'sub/a.txt', before: hashText('old'), after: hashText('new') });
      expect(result).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
      expect(readFileSync(folder.at('sub/a.txt'), 'utf8')).toBe('old');
    },
  );

  it.each(cases)(
    'by %s is complete if the file has the new content, and is repeated if it has the old content',
    async (_, create, args) => {
      using folder = createTempFolder({ 'sub/a.txt': 'old' });
      const tool = create(createWorkspace(folder.root));
      const intent = { path: 'sub/a.txt', before: hashText('old'), after: hashText('new') };
      writeFileSync(folder.at('sub/.pawl-abc.tmp'), 'ne');
      expect(await reconcileTool(tool, args, intent)).toBe('run-again');
      expect(readdirSync(folder.at('sub'))).toEqual(['a.txt']);
      expect((await runUntilIntent(tool, args, true)).result).toMatchObject({ ok: true });
      expect(await reconcileTool(tool, args, intent)).toMatchObject({
        ok: true,
        files: [{ path: 'sub/a.txt', hash: hashText('new') }],
      });
      writeFileSync(folder.at('sub/a.txt'), 'somebody else');
      const conflict = await reconcileTool(tool, args, intent);
      expect(conflict).toMatchObject({ ok: false, error: { kind: 'interrupted' } });
      expect(JSON.stringify(conflict)).toContain('neither its previous nor the intended content');
    },
  );

  it('of a new file is repeated if the file does not exist', async () => {
    using folder = createTempFolder();
    const tool = createWriteTool(createWorkspace(folder.root));
    const args = { path: 'deep/er/a.txt', content: 'new' };
    const { intent } = await runUntilIntent(tool, args, false);
    expect(intent).toMatchObject({ before: null });
    expect(await reconcileTool(tool, args, intent)).toBe('run-again');
  });

  it('is not reconciled for a path outside, or without a valid intent', async () => {
    using folder = createTempFolder({ 'in/a.txt': 'x', secret: 's' });
    const tool = createWriteTool(createWorkspace(folder.at('in')));
    const args = { path: 'a.txt', content: 'new' };
    const outside = { path: '../secret', before: hashText('s'), after: hashText('new') };
    expect(await reconcileTool(tool, args, outside)).toMatchObject({ ok: false, error: { kind: 'denied' } });
    for (const intent of [null, 'x', [], { path: 1 }, { path: 'a.txt', after: 'y' }]) {
      expect(await reconcileTool(tool, args, intent)).toMatchObject({
        ok: false,
        error: { kind: 'interrupted' },
      });
    }
  });
});

describe('a command that outlived the process that started it', () => {
  it('is killed with all its child processes, and reported as interrupted', { tags: ['unix'] }, async () => {
    using folder = createTempFolder();
    const line = `(while :; do echo x >> "${folder.at('ticks')}"; sleep 0.02; done) & sleep 60`;
    const child = spawn('/bin/sh', ['-c', line], {
      cwd: folder.root,
      env: { PATH: process.env['PATH'], [commandMarkVariable]: 'abc' },
      detached: true,
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await expect.poll(() => existsSync(folder.at('ticks'))).toBe(true);
    const tool = createShellTool({ root: folder.root, sandbox: passthroughSandbox });
    const result = await reconcileTool(tool, { command: line }, null);
    expect(result).toMatchObject({ ok: false, error: { kind: 'interrupted' } });
    expect(JSON.stringify(result)).toContain('It was still running and has been killed.');
    await ended;
    await expect.poll(() => countProcesses(folder.root)).toBe(0);
    expect(JSON.stringify(await reconcileTool(tool, { command: line }, null))).not.toContain('still running');
  });
});
