import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from '../../src/index.ts';
import { createScriptedModel, type ScriptedReply } from '../../src/models-entry.ts';
import { getConversation, type Json, toItemArray } from '@pawl/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHooks } from '../../src/hooks/hooks.ts';
import { createBubblewrapSandbox } from '../../src/sandbox/bubblewrap.ts';
import { createShellTool } from '../../src/tools/shell.ts';
import { createScratchRepository, type ScratchRepository } from './scratch-repository.ts';

let scratch: ScratchRepository;
beforeEach(() => {
  scratch = createScratchRepository();
  vi.stubEnv('HOME', scratch.home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  scratch.remove();
});

function createShellReplies(...lines: readonly string[]): readonly ScriptedReply[] {
  const calls = lines.map((command, index): ScriptedReply => {
    const args: Json = { command };
    return { text: '', calls: [{ tool: 'shell', args, id: `call-${index}` }] };
  });
  return [...calls, { text: 'Done.', calls: [] }];
}

describe('an agent with a shell in the sandbox and auto-commit', { tags: ['bubblewrap'] }, () => {
  it('commits each step, and no command makes a program run outside the sandbox [LOOM-24]', async () => {
    const pwned = join(scratch.outside, 'pwned');
    const sandbox = createBubblewrapSandbox({ home: scratch.home });
    const reports: string[] = [];
    const hooks = await createHooks({
      workspace: scratch.root,
      autoCommit: { runsHooks: true },
      sandbox,
      report: (line) => reports.push(line),
    });
    const plant = (file: string): string =>
      `printf '#!/bin/sh\\ntouch ${pwned}\\n' > ${file}; chmod +x ${file}`;
    const agent = new Agent({
      model: createScriptedModel(
        createShellReplies(
          'echo one > a',
          `${plant('.git/hooks/pre-commit')}; git config core.fsmonitor 'touch ${pwned}'; echo two > b`,
          `${plant('evil')}; git config --global core.hooksPath . ; cp evil pre-commit; touch ${pwned}; true`,
        ),
      ),
      tools: [createShellTool({ root: scratch.root, sandbox })],
      hooks: hooks.afterTools,
    });
    void agent.sendMessage('go');
    await agent.waitUntilIdle();
    const results = toItemArray(getConversation(agent.session)).filter(({ role }) => role === 'tool');
    expect(results).toMatchObject([
      { outcome: { ok: true } },
      { outcome: { ok: true } },
      { outcome: { ok: true } },
    ]);
    expect(scratch.git('log', '--format=%s').trim().split('\n')).toEqual([
      'shell: 2 files',
      'shell: b',
      'shell: a',
    ]);
    expect(reports).toEqual([]);
    expect(existsSync(pwned)).toBe(false);
    expect(existsSync(join(scratch.root, '.git/hooks/pre-commit'))).toBe(false);
    expect(existsSync(join(scratch.home, '.gitconfig'))).toBe(false);
  });
});
