import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Tool } from '@pawl/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  saveRun,
  lookTool,
  createTestWorkspace,
  successfulRun,
  createPutReply,
  putTool,
  createTextReply,
  stuckRun,
  type TestWorkspace,
} from './test-workspace.ts';

let testWorkspace: TestWorkspace;
beforeEach(() => {
  testWorkspace = createTestWorkspace();
});
afterEach(() => testWorkspace.close());

const getWorkspacePath = (name: string): string => join(testWorkspace.dir, name);

/** Of two concurrent calls, the second finishes first. */
const slowLook: Tool = {
  ...lookTool,
  async run(args, context) {
    const isFirst = JSON.stringify(args).includes('first');
    await new Promise((done) => setTimeout(done, isFirst ? 50 : 1));
    return lookTool.run(args, context);
  },
};

describe('pawl export --as test', () => {
  const vitest = promisify(execFile);

  /** Runs the test files of the folder like a user would, with the packages of this project. */
  async function runTests(): Promise<string> {
    const root = resolve(import.meta.dirname, '../../../..');
    if (!existsSync(getWorkspacePath('node_modules')))
      symlinkSync(join(root, 'node_modules'), getWorkspacePath('node_modules'));
    const args = [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--root',
      testWorkspace.dir,
      '--no-color',
    ];
    const { stdout } = await vitest(process.execPath, args, { cwd: testWorkspace.dir }).catch(
      (error: unknown) => error as { readonly stdout: string },
    );
    return stdout;
  }

  it('generates a test that replays the session and fails if the result differs', async () => {
    await saveRun(testWorkspace, { ...successfulRun, id: 'roof' });
    await saveRun(testWorkspace, { ...stuckRun, id: 'key' });
    await saveRun(testWorkspace, {
      id: 'beside',
      goal: 'Look at two things at once, then change one',
      replies: [
        {
          calls: [
            { tool: 'look', args: { at: 'first' } },
            { tool: 'look', args: { at: 'second' } },
          ],
        },
        {
          calls: [
            { tool: 'look', args: { at: 'third' } },
            { tool: 'put', args: { path: 'a', text: 'b' } },
          ],
        },
        { failure: { kind: 'auth', message: 'the key is bad', retryable: false } },
      ],
      agent: { tools: [slowLook, putTool] },
    });
    await saveRun(testWorkspace, {
      id: 'asked',
      goal: 'Do "what"\nmay be done',
      replies: [createPutReply('a', 'b'), createPutReply('c', 'd'), createTextReply('Done what I may.')],
      agent: {
        rules: () => 'ask',
        decide: async ({ args }) =>
          JSON.stringify(args).includes('"a"')
            ? { decision: 'allow' }
            : { decision: 'deny', reason: 'not c' },
        hooks: async () => true,
      },
      settings: { mutatingTools: ['put'] },
    });
    for (const id of ['roof', 'key', 'beside', 'asked']) {
      const { code, err } = await testWorkspace.pawl(
        'export',
        id,
        '--as',
        'test',
        '--out',
        getWorkspacePath(`${id}.test.ts`),
      );
      expect([code, err]).toEqual([0, expect.stringContaining(`${id}.session.json`)]);
    }
    expect(await runTests()).toMatch(/Tests +4 passed \(4\)/);
    const fixture = getWorkspacePath('roof.session.json');
    writeFileSync(fixture, readFileSync(fixture, 'utf8').replaceAll('tiles', 'straw'));
    const stdout = await runTests();
    expect(stdout).toMatch(/Tests +1 failed \| 3 passed \(4\)/);
    expect(stdout).toContain('replays the recorded session: Mend the roof');
  });
});
