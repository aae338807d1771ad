import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '@pawl/core';
import { answerHook } from '../../src/hook/answer-hook.ts';
import { claudeHost, codexHost, geminiHost } from '../../src/hook/hosts.ts';
import type { HookHost } from '../../src/hook/hook-event.ts';
import { openHookStateStore } from '../../src/hook/hook-state.ts';

const hookStates = openHookStateStore(
  join(mkdtempSync(join(tmpdir(), 'pawl-hook-')), 'hooks.sqlite'),
  () => 0,
);
afterAll(() => hookStates.close());

let sessions = 0;

/** A host session: takes events and returns answers. */
function createHookSession(host: HookHost, callsMax: number | null = null) {
  sessions += 1;
  const session_id = `session ${sessions}`;
  return (hook_event_name: string, more: { readonly [name: string]: Json } = {}): unknown => {
    const text = JSON.stringify({ session_id, hook_event_name, transcript_path: null, cwd: '/', ...more });
    const answer = answerHook(host, text, { states: hookStates, now: () => 0, callsMax });
    return answer === '' ? null : JSON.parse(answer);
  };
}

const testCall = { tool_name: 'Bash', tool_input: { command: 'npm test' } };

describe('pawl hook claude', () => {
  it('advises after failures, denies the call, ends the work and stops the agent, in the format of Claude Code', () => {
    const answerEvent = createHookSession(claudeHost);
    const fail = (): unknown => answerEvent('PostToolUseFailure', { ...testCall, error: 'Exit code 1' });
    expect(answerEvent('PreToolUse', testCall)).toBeNull();
    expect(fail()).toBeNull();
    expect(fail()).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PostToolUseFailure',
        additionalContext: expect.stringMatching(/^\[Note from .* failed 2 times in a row/) as string,
      },
    });
    fail();
    expect(answerEvent('PreToolUse', testCall)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining('Not run again') as string,
      },
    });
    answerEvent('PreToolUse', testCall);
    answerEvent('PreToolUse', testCall);
    answerEvent('PreToolUse', testCall);
    expect(answerEvent('PreToolUse', testCall)).toEqual({
      continue: false,
      stopReason: expect.stringContaining('This work has come to its end') as string,
    });
  });

  it('resets with the next user message', () => {
    const answerEvent = createHookSession(claudeHost);
    for (let count = 0; count < 4; count += 1)
      answerEvent('PostToolUseFailure', { ...testCall, error: 'Exit code 1' });
    expect(answerEvent('PreToolUse', testCall)).not.toBeNull();
    expect(answerEvent('UserPromptSubmit', { prompt: 'Try once more.' })).toBeNull();
    expect(answerEvent('PreToolUse', testCall)).toBeNull();
  });

  it('separates sub-agents, and ignores interruptions and unrelated events', () => {
    const answerEvent = createHookSession(claudeHost);
    for (let count = 0; count < 3; count += 1)
      answerEvent('PostToolUseFailure', { ...testCall, error: 'no', agent_id: 'reviewer' });
    expect(answerEvent('PreToolUse', testCall)).toBeNull();
    expect(answerEvent('PreToolUse', { ...testCall, agent_id: 'reviewer' })).not.toBeNull();
    for (let count = 0; count < 9; count += 1)
      expect(answerEvent('PostToolUseFailure', { ...testCall, error: 'no', is_interrupt: true })).toBeNull();
    expect(answerEvent('Notification', { message: 'hello' })).toBeNull();
  });

  it('lets a sub-agent in a loop answer its parent, and does not stop the parent', () => {
    const answerEvent = createHookSession(claudeHost);
    const subCall = { ...testCall, agent_id: 'reviewer' };
    for (let count = 0; count < 4; count += 1) answerEvent('PostToolUseFailure', { ...subCall, error: 'no' });
    for (let count = 0; count < 20; count += 1) {
      expect(answerEvent('PreToolUse', subCall)).toMatchObject({
        hookSpecificOutput: { permissionDecision: 'deny' },
      });
    }
    expect(answerEvent('PreToolUse', testCall)).toBeNull();
    // A sub-agent that goes on regardless would cost money without end.
    expect(answerEvent('PreToolUse', subCall)).toMatchObject({ continue: false });
  });

  it('removes the state of an ended session', () => {
    const answerEvent = createHookSession(claudeHost);
    for (let count = 0; count < 3; count += 1)
      answerEvent('PostToolUseFailure', { ...testCall, error: 'no' });
    expect(answerEvent('SessionEnd', { reason: 'exit' })).toBeNull();
    expect(answerEvent('PreToolUse', testCall)).toBeNull();
  });

  it('does not affect 200 productive calls', () => {
    const answerEvent = createHookSession(claudeHost);
    for (let count = 0; count < 200; count += 1) {
      const call = { tool_name: 'Read', tool_input: { file_path: `/src/part-${count}.ts` } };
      expect(answerEvent('PreToolUse', call)).toBeNull();
      const tool_response = {
        type: 'text',
        file: { content: `export const part = ${'p'.repeat(count + 1)};` },
      };
      expect(answerEvent('PostToolUse', { ...call, tool_response })).toBeNull();
    }
  });
});

describe('pawl hook codex', () => {
  it('recognizes failures by exit code, and keeps denying because Codex accepts no stop', () => {
    const answerEvent = createHookSession(codexHost);
    const fail = (): unknown =>
      answerEvent('PostToolUse', {
        ...testCall,
        tool_response: 'Exit code: 2\nWall time: 0.1 seconds\nOutput:\nboom\n',
      });
    fail();
    expect(fail()).toMatchObject({ hookSpecificOutput: { hookEventName: 'PostToolUse' } });
    fail();
    const answers = Array.from({ length: 6 }, () => answerEvent('PreToolUse', testCall));
    for (const answer of answers) {
      // Codex rejects anything else here, including a denial without a reason.
      expect(answer).toEqual({
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: expect.stringMatching(/\S/) as string,
        },
      });
    }
  });
});

describe('pawl hook gemini', () => {
  it('denies, removes the tools at the end of the work, and stops, in the format of Gemini CLI', () => {
    const answerEvent = createHookSession(geminiHost);
    const shell = { tool_name: 'run_shell_command', tool_input: { command: 'make' } };
    const fail = (): unknown =>
      answerEvent('AfterTool', { ...shell, tool_response: { llmContent: 'Output: boom\nExit Code: 2\n' } });
    fail();
    expect(fail()).toMatchObject({
      hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: expect.any(String) as string },
    });
    fail();
    expect(answerEvent('BeforeToolSelection')).toBeNull();
    expect(answerEvent('BeforeTool', shell)).toEqual({
      decision: 'deny',
      reason: expect.stringContaining('Not run again') as string,
    });
    answerEvent('BeforeTool', shell);
    expect(answerEvent('BeforeToolSelection')).toEqual({
      hookSpecificOutput: { hookEventName: 'BeforeToolSelection', toolConfig: { mode: 'NONE' } },
    });
    answerEvent('BeforeTool', shell);
    answerEvent('BeforeTool', shell);
    expect(answerEvent('BeforeTool', shell)).toMatchObject({ continue: false });
    expect(answerEvent('BeforeAgent', { prompt: 'Go on.' })).toBeNull();
    expect(answerEvent('BeforeTool', shell)).toBeNull();
  });
});

describe('the input of a hook', () => {
  it.each(['', 'null', '[1]', 'nonsense', '{"session_id":"x"}', '{"__proto__":{"session_id":"x"}}'])(
    'is rejected with one clear error if it is %j',
    (text) => {
      const answered = () =>
        answerHook(claudeHost, text, { states: hookStates, now: () => 0, callsMax: null });
      expect(answered).toThrow(/^The hook expects /);
    },
  );

  it('may contain any value in host-defined fields', () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    for (const odd of [
      'null',
      '7',
      deep,
      String.raw`"\ud800"`,
      `"${'y'.repeat(1_000_000)}"`,
      '{"error":{"a":1}}',
    ]) {
      const text = `{"session_id":"odd","hook_event_name":"AfterTool","tool_input":${odd},"tool_response":${odd}}`;
      expect(answerHook(geminiHost, text, { states: hookStates, now: () => 0, callsMax: null })).toBe('');
    }
  });
});
