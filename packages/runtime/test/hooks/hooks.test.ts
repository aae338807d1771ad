import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, defineTool, type PermissionCheck } from '../../src/index.ts';
import { createScriptedModel, type ScriptedReply } from '../../src/models-entry.ts';
import { getConversation, type ToolCall, type CompletedTool, type Json, toItemArray } from '@pawl/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { BeforeToolHook, FinishedTurn } from '../../src/hooks/hook.ts';
import { createHooks, type AgentHooks, type HooksOptions } from '../../src/hooks/hooks.ts';

let workspace = '';
let reports: string[] = [];
const neverSignal = new AbortController().signal;

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'pawl-hooks-'));
  reports = [];
});

afterEach(() => rmSync(workspace, { recursive: true, force: true }));

function createTestHooks(config: Partial<HooksOptions>): Promise<AgentHooks> {
  return createHooks({ workspace, report: (line) => reports.push(line), ...config });
}

function toShellCommand(script: string): readonly [string, ...string[]] {
  return ['sh', '-c', script];
}

function readWorkspaceFile(name: string): string {
  return readFileSync(join(workspace, name), 'utf8');
}

const completedTools: readonly CompletedTool[] = [
  { callId: '1', tool: 'edit', ok: true },
  { callId: '2', tool: 'read', ok: true },
];

describe('hooks after tools', { tags: ['unix'] }, () => {
  it('receive their completed tools as JSON and do not run for other tools [LOOM-27]', async () => {
    const hooks = await createTestHooks({
      afterTools: [
        { command: toShellCommand('cat > told; pwd > folder'), tools: ['edit'] },
        { command: toShellCommand('touch never'), tools: ['shell'] },
      ],
    });
    expect(await hooks.afterTools(completedTools, neverSignal)).toBe(true);
    expect(JSON.parse(readWorkspaceFile('told'))).toEqual({
      hook: 'after-tools',
      workspace,
      completed: [completedTools[0]],
    });
    expect(readWorkspaceFile('folder')).toBe(`${workspace}\n`);
    expect(existsSync(join(workspace, 'never'))).toBe(false);
  });

  it('are skipped when they fail, hang or cannot start, and the next ones run', async () => {
    const hooks = await createTestHooks({
      afterTools: [
        { command: toShellCommand('echo broken >&2; exit 7') },
        { command: ['there-is-no-such-command'] },
        { command: toShellCommand('sleep 1000'), timeoutMs: 50 },
        { run: () => Promise.reject(new Error('thrown')) },
        { run: () => new Promise<never>(() => undefined), timeoutMs: 50 },
        { command: toShellCommand('touch reached') },
      ],
    });
    expect(await hooks.afterTools(completedTools, neverSignal)).toBe(true);
    expect(existsSync(join(workspace, 'reached'))).toBe(true);
    const passedOver = 'An after-tools hook failed and was skipped: ';
    expect(reports.map((line) => line.replace(passedOver, ''))).toEqual([
      'sh ended with exit code 7: broken',
      'there-is-no-such-command could not be started: there is no such command or folder, or you may not use it',
      'sh took longer than 0.05 s and was ended',
      'thrown',
      'it timed out after 0.05 s',
    ]);
  });

  it('receive no secrets from the environment', async () => {
    vi.stubEnv('PAWL_TEST_API_KEY', 'the secret');
    const hooks = await createTestHooks({ afterTools: [{ command: toShellCommand('env > env') }] });
    await hooks.afterTools(completedTools, neverSignal);
    vi.unstubAllEnvs();
    expect(readWorkspaceFile('env')).toContain('PATH=');
    expect(readWorkspaceFile('env')).not.toContain('the secret');
  });

  it('do not start after cancellation', async () => {
    const hooks = await createTestHooks({ afterTools: [{ command: toShellCommand('touch ran') }] });
    expect(await hooks.afterTools(completedTools, AbortSignal.abort())).toBe(false);
    expect(existsSync(join(workspace, 'ran'))).toBe(false);
  });

  it('cannot insert a line break into a report', async () => {
    const hooks = await createTestHooks({
      afterTools: [{ command: toShellCommand(`printf 'a\\033[2Jb\\rc' >&2; exit 1`) }],
    });
    await hooks.afterTools(completedTools, neverSignal);
    expect(reports[0]).toMatch(/a\\u001b\[2Jb\\u000dc$/);
  });
});

/** What is said to each tool; to all others yes. */
const checkPermission: PermissionCheck = ({ tool }) => {
  if (tool === 'because') return { permission: 'deny', reason: 'It is not for you.' };
  return tool === 'shell' ? 'ask' : tool === 'gone' ? 'deny' : 'allow';
};

describe('hooks before tools', { tags: ['unix'] }, () => {
  const call: ToolCall = { id: 'c1', tool: 'shell', args: { command: 'rm -rf /' } };
  const allowAll = { rules: (): 'allow' => 'allow', decide: () => Promise.reject(new Error('asked')) };

  async function runHook(hook: BeforeToolHook, subject: ToolCall = call): Promise<string> {
    const hooks = await createTestHooks({ beforeTool: [hook] });
    const { decision, reason } = await hooks.guard(allowAll).decide(subject, neverSignal);
    return reason === undefined ? decision : `${decision}: ${reason}`;
  }

  it('allow a call with exit code 0 and deny it with any other code, with a reason', async () => {
    expect(await runHook({ command: toShellCommand('cat > told') })).toBe('allow');
    expect(JSON.parse(readWorkspaceFile('told'))).toEqual({ hook: 'before-tool', workspace, call });
    expect(await runHook({ command: toShellCommand('echo too dangerous; echo more; exit 2') })).toBe(
      'deny: Denied by a before-tool hook: sh ended with exit code 2: too dangerous',
    );
  });

  it('deny a call that they could not check', async () => {
    expect(await runHook({ command: ['there-is-no-such-command'] })).toMatch(/^deny: .*no such command/);
    expect(await runHook({ command: toShellCommand('sleep 1000'), timeoutMs: 50 })).toMatch(
      /^deny: .*took longer/,
    );
    expect(await runHook({ command: toShellCommand('kill -KILL $$') })).toMatch(/^deny: .*SIGKILL/);
    expect(await runHook({ run: () => Promise.reject(new Error('a mistake')) })).toBe(
      'deny: Denied because a before-tool hook failed: a mistake',
    );
    expect(await runHook({ run: () => new Promise<never>(() => undefined), timeoutMs: 20 })).toMatch(
      /^deny: /,
    );
    let deep: Json = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(await runHook({ command: toShellCommand('exit 0') }, { ...call, args: deep })).toMatch(/^deny: /);
  });

  it('cannot change the call that runs', async () => {
    const subject = structuredClone(call);
    const hook: BeforeToolHook = {
      run(seen) {
        Object.assign(seen, { tool: 'other' });
        Object.assign(seen.args as object, { command: 'changed' });
        return { decision: 'allow' };
      },
    };
    expect(await runHook(hook, subject)).toBe('allow');
    expect(subject).toEqual(call);
  });

  it("run before the user is asked and never replace the user's decision", async () => {
    const asked: string[] = [];
    const decide = ({ id }: ToolCall): Promise<{ decision: 'allow' }> => {
      asked.push(id);
      return Promise.resolve({ decision: 'allow' });
    };
    const hooks = await createTestHooks({
      beforeTool: [
        { run: ({ args }) => ({ decision: args === 'bad' ? 'deny' : 'allow' }), tools: ['shell', 'edit'] },
      ],
    });
    const guarded = hooks.guard({ rules: checkPermission, decide });
    const ruled = ['shell', 'edit', 'read', 'gone'].map((tool) => guarded.rules({ tool, args: null }));
    expect(ruled).toEqual(['ask', 'ask', 'allow', 'deny']);
    expect(await guarded.decide({ id: '0', tool: 'because', args: null }, neverSignal)).toEqual({
      decision: 'deny',
      reason: 'It is not for you.',
    });
    expect(await guarded.decide({ id: '1', tool: 'shell', args: 'bad' }, neverSignal)).toEqual({
      decision: 'deny',
    });
    expect(await guarded.decide({ id: '2', tool: 'edit', args: 'good' }, neverSignal)).toEqual({
      decision: 'allow',
    });
    expect(asked).toEqual([]);
    expect(await guarded.decide({ id: '3', tool: 'shell', args: 'good' }, neverSignal)).toEqual({
      decision: 'allow',
    });
    expect(asked).toEqual(['3']);
    expect(await guarded.decide({ id: '4', tool: 'gone', args: null }, neverSignal)).toMatchObject({
      decision: 'deny',
    });
  });
});

describe('an agent with hooks', { tags: ['unix'] }, () => {
  const write = defineTool({
    name: 'write',
    description: 'Writes a file.',
    parameters: z.object({ path: z.string() }),
    run({ path }) {
      writeFileSync(join(workspace, path), '');
      return Promise.resolve({ ok: true, output: null });
    },
  });

  function createHookedAgent(hooks: AgentHooks, replies: readonly ScriptedReply[]): Agent {
    const world = hooks.guard({ rules: () => 'allow', decide: () => Promise.resolve({ decision: 'deny' }) });
    return new Agent({
      model: createScriptedModel(replies),
      tools: [write],
      ...world,
      hooks: hooks.afterTools,
      observe: (seen) => hooks.observe(seen),
    });
  }

  it('denies by hook, runs after a change, and reports the end of the turn', async () => {
    const ends: FinishedTurn[] = [];
    const hooks = await createTestHooks({
      beforeTool: [{ command: toShellCommand('! grep -q secret') }],
      afterTools: [{ command: toShellCommand('ls >> seen') }],
      finish: [{ command: toShellCommand('cat > finished') }, { run: (end) => void ends.push(end) }],
    });
    const agent = createHookedAgent(hooks, [
      { text: '', calls: [{ tool: 'write', args: { path: 'secret' }, id: 'a' }] },
      { text: '', calls: [{ tool: 'write', args: { path: 'open' }, id: 'b' }] },
      { text: 'Done.', calls: [] },
    ]);
    void agent.sendMessage('go');
    await agent.waitUntilIdle();
    await hooks.waitUntilIdle();
    const results = toItemArray(getConversation(agent.session)).filter(({ role }) => role === 'tool');
    expect(results).toMatchObject([
      { callId: 'a', outcome: { ok: false, error: { kind: 'denied' } } },
      { callId: 'b', outcome: { ok: true } },
    ]);
    expect(readWorkspaceFile('seen')).toBe('open\nseen\n');
    expect(ends).toMatchObject([{ status: 'waitingForUser', answer: 'Done.', reason: null }]);
    expect(JSON.parse(readWorkspaceFile('finished'))).toMatchObject({
      hook: 'finish',
      finished: { answer: 'Done.' },
    });

    // Waiting for the user again after a pause is not another end.
    await agent.post({ type: 'pause-requested', reason: 'a break' });
    await agent.post({ type: 'resume-requested' });
    await agent.post({ type: 'halt-requested', reason: 'enough' });
    await hooks.waitUntilIdle();
    expect(ends.map(({ status, reason }) => [status, reason])).toEqual([
      ['waitingForUser', null],
      ['halted', 'enough'],
    ]);
  });

  it('is not blocked by failing finish hooks', async () => {
    const hooks = await createTestHooks({
      finish: [
        { command: toShellCommand('exit 1') },
        { run: () => Promise.reject(new Error('thrown')) },
        { command: toShellCommand('touch last') },
      ],
    });
    const agent = createHookedAgent(hooks, [{ text: 'Done.', calls: [] }]);
    void agent.sendMessage('go');
    await agent.waitUntilIdle();
    await hooks.waitUntilIdle();
    expect(reports).toEqual([
      'A finish hook failed: sh ended with exit code 1',
      'A finish hook failed: thrown',
    ]);
    expect(existsSync(join(workspace, 'last'))).toBe(true);
  });
});
