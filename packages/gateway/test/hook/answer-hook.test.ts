import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '@pawl/core';
import { answerHook } from '../../src/hook/answer-hook.ts';
import { claudeHost } from '../../src/hook/claude.ts';
import { codexHost } from '../../src/hook/codex.ts';
import type { HookHost } from '../../src/hook/hook-event.ts';
import { geminiHost } from '../../src/hook/gemini.ts';
import { openHookStateStore } from '../../src/hook/hook-state-store.ts';

const hookStates = openHookStateStore(
  join(mkdtempSync(join(tmpdir(), 'pawl-hook-')), 'hooks.sqlite'),
  () => 0,
);
afterAll(() => hookStates.close());

let sessions = 0;

/** A session of a host: tells events, gives answers. */
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
    const tell = createHookSession(claudeHost);
    const fail = (): unknown => tell('PostToolUseFailure', { ...testCall, error: 'Exit code 1' });
    expect(tell('PreToolUse', testCall)).toBeNull();
    expect(fail()).toBeNull();
    expect(fail()).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PostToolUseFailure',
        additionalContext: expect.stringMatching(/^\[Note from .* failed 2 times in a row/) as string,
      },
    });
    fail();
    expect(tell('PreToolUse', testCall)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining('Not run again') as string,
      },
    });
    tell('PreToolUse', testCall);
    tell('PreToolUse', testCall);
    tell('PreToolUse', testCall);
    expect(tell('PreToolUse', testCall)).toEqual({
      continue: false,
      stopReason: expect.stringContaining('This work has come to its end') as string,
    });
  });

  it('resets with the next user message', () => {
    const tell = createHookSession(claudeHost);
    for (let count = 0; count < 4; count += 1)
      tell('PostToolUseFailure', { ...testCall, error: 'Exit code 1' });
    expect(tell('PreToolUse', testCall)).not.toBeNull();
    expect(tell('UserPromptSubmit', { prompt: 'Try once more.' })).toBeNull();
    expect(tell('PreToolUse', testCall)).toBeNull();
  });

  it('separates sub-agents, and ignores interruptions and unrelated events', () => {
    const tell = createHookSession(claudeHost);
    for (let count = 0; count < 3; count += 1)
      tell('PostToolUseFailure', { ...testCall, error: 'no', agent_id: 'reviewer' });
    expect(tell('PreToolUse', testCall)).toBeNull();
    expect(tell('PreToolUse', { ...testCall, agent_id: 'reviewer' })).not.toBeNull();
    for (let count = 0; count < 9; count += 1)
      expect(tell('PostToolUseFailure', { ...testCall, error: 'no', is_interrupt: true })).toBeNull();
    expect(tell('Notification', { message: 'hello' })).toBeNull();
  });

  it('removes the state of an ended session', () => {
    const tell = createHookSession(claudeHost);
    for (let count = 0; count < 3; count += 1) tell('PostToolUseFailure', { ...testCall, error: 'no' });
    expect(tell('SessionEnd', { reason: 'exit' })).toBeNull();
    expect(tell('PreToolUse', testCall)).toBeNull();
  });

  it('does not affect 200 productive calls', () => {
    const tell = createHookSession(claudeHost);
    for (let count = 0; count < 200; count += 1) {
      const call = { tool_name: 'Read', tool_input: { file_path: `/src/part-${count}.ts` } };
      expect(tell('PreToolUse', call)).toBeNull();
      const tool_response = {
        type: 'text',
        file: { content: `export const part = ${'p'.repeat(count + 1)};` },
      };
      expect(tell('PostToolUse', { ...call, tool_response })).toBeNull();
    }
  });
});

describe('pawl hook codex', () => {
  it('recognizes failures by exit code, and keeps denying because Codex accepts no stop', () => {
    const tell = createHookSession(codexHost);
    const fail = (): unknown =>
      tell('PostToolUse', {
        ...testCall,
        tool_response: 'Exit code: 2\nWall time: 0.1 seconds\nOutput:\nboom\n',
      });
    fail();
    expect(fail()).toMatchObject({ hookSpecificOutput: { hookEventName: 'PostToolUse' } });
    fail();
    const answers = Array.from({ length: 6 }, () => tell('PreToolUse', testCall));
    for (const answer of answers) {
      // Codex refuses anything else here, and a denial without a reason.
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
    const tell = createHookSession(geminiHost);
    const shell = { tool_name: 'run_shell_command', tool_input: { command: 'make' } };
    const fail = (): unknown =>
      tell('AfterTool', { ...shell, tool_response: { llmContent: 'Output: boom\nExit Code: 2\n' } });
    fail();
    expect(fail()).toMatchObject({
      hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: expect.any(String) as string },
    });
    fail();
    expect(tell('BeforeToolSelection')).toBeNull();
    expect(tell('BeforeTool', shell)).toEqual({
      decision: 'deny',
      reason: expect.stringContaining('Not run again') as string,
    });
    tell('BeforeTool', shell);
    expect(tell('BeforeToolSelection')).toEqual({
      hookSpecificOutput: { hookEventName: 'BeforeToolSelection', toolConfig: { mode: 'NONE' } },
    });
    tell('BeforeTool', shell);
    tell('BeforeTool', shell);
    expect(tell('BeforeTool', shell)).toMatchObject({ continue: false });
    expect(tell('BeforeAgent', { prompt: 'Go on.' })).toBeNull();
    expect(tell('BeforeTool', shell)).toBeNull();
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
