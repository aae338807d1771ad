import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '@pawl/core';
import { answerHook } from '../../src/hook/answer-hook.ts';
import { clineHost } from '../../src/hook/cline-host.ts';
import { readCodexCallReply, readCodexCallSuccess } from '../../src/hook/codex-transcript.ts';
import { cursorHost } from '../../src/hook/cursor-host.ts';
import { findHostProcess, type InterruptibleProgram } from '../../src/hook/interrupt-host.ts';
import {
  claudeHost,
  codexHost,
  copilotHost,
  geminiHost,
  opencodeHost,
  qwenHost,
} from '../../src/hook/hosts.ts';
import type { HookHost } from '../../src/hook/hook-event.ts';
import { openHookStateStore } from '../../src/hook/hook-state.ts';

const hookStates = openHookStateStore(
  join(mkdtempSync(join(tmpdir(), 'pawl-hook-')), 'hooks.sqlite'),
  () => 0,
);
afterAll(() => hookStates.close());

let sessions = 0;

/** A host session: takes events and returns answers. */
function createHookSession(
  host: HookHost,
  callsMax: number | null = null,
  interrupt: (program: InterruptibleProgram) => void = () => {},
) {
  sessions += 1;
  const session_id = `session ${sessions}`;
  return (hook_event_name: string, more: { readonly [name: string]: Json } = {}): unknown => {
    const text = JSON.stringify({ session_id, hook_event_name, transcript_path: null, cwd: '/', ...more });
    const answer = answerHook(host, text, { states: hookStates, now: () => 0, callsMax, interrupt });
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
    // More calls of the same reply are denied, and the model is called once more for its answer.
    answerEvent('PreToolUse', testCall);
    answerEvent('PreToolUse', testCall);
    answerEvent('PreToolUse', testCall);
    // Claude Code runs a call after `continue: false` alone, and ends the turn only after the batch.
    expect(answerEvent('PostToolBatch')).toBeNull();
    expect(answerEvent('PreToolUse', testCall)).toMatchObject({
      continue: false,
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
    expect(answerEvent('PostToolBatch')).toEqual({
      continue: false,
      stopReason: expect.stringContaining('This work has come to its end') as string,
    });
  });

  it('counts one stop, and as denials the calls that were denied', () => {
    const answerEvent = createHookSession(claudeHost);
    const { denials, stops } = hookStates.readActivity(0).get('claude') ?? { denials: 0, stops: 0 };
    for (let count = 0; count < 4; count += 1)
      answerEvent('PostToolUseFailure', { ...testCall, error: 'Exit code 1' });
    answerEvent('PostToolBatch');
    for (let count = 0; count < 3; count += 1)
      expect(answerEvent('PreToolUse', testCall)).toMatchObject({ continue: false });
    for (let count = 0; count < 2; count += 1)
      expect(answerEvent('PostToolBatch')).toMatchObject({ continue: false });
    const after = hookStates.readActivity(0).get('claude');
    expect(after).toMatchObject({ denials: denials + 2, stops: stops + 1 });
  });

  it('resets with the next user message', () => {
    const answerEvent = createHookSession(claudeHost);
    for (let count = 0; count < 4; count += 1)
      answerEvent('PostToolUseFailure', { ...testCall, error: 'Exit code 1' });
    expect(answerEvent('PreToolUse', testCall)).not.toBeNull();
    expect(answerEvent('UserPromptSubmit', { prompt: 'Try once more.' })).toBeNull();
    expect(answerEvent('PreToolUse', testCall)).toBeNull();
  });

  it('does not forget a loop when the agent writes in the name of the user, or the user only asks to continue', () => {
    const answerEvent = createHookSession(claudeHost);
    const fail = (): unknown => answerEvent('PostToolUseFailure', { ...testCall, error: 'Exit code 1' });
    for (let count = 0; count < 3; count += 1) fail();
    answerEvent('UserPromptSubmit', { prompt: '<system-reminder>\nTasks: 3\n</system-reminder>' });
    expect(answerEvent('PreToolUse', testCall)).not.toBeNull();
    answerEvent('UserPromptSubmit', { prompt: 'Go on, please.' });
    expect(answerEvent('PreToolUse', testCall)).toBeNull();
    expect(fail()).toMatchObject({
      hookSpecificOutput: { additionalContext: expect.stringContaining('4 times in a row') as string },
    });
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

/** Writes a transcript as Codex 0.169 does: the result of a call is there before its hook runs. */
function writeCodexTranscript(items: readonly { readonly [name: string]: Json }[], padding = 0): string {
  const path = join(mkdtempSync(join(tmpdir(), 'pawl-codex-')), 'rollout.jsonl');
  const lines = items.map((item) => ({ type: 'event_msg', payload: { type: 'item_completed', item } }));
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(path, `${'{}\n'.repeat(padding)}${text}`);
  return path;
}

const codexResult = (id: string, exit_code: number, aggregated_output = 'boom\n') => ({
  type: 'CommandExecution',
  id,
  status: exit_code === 0 ? 'completed' : 'failed',
  aggregated_output,
  exit_code,
});

/** Reports a finished call as the real client does: `tool_response` is the bare output of the command. */
function finishCodexCall(answerEvent: ReturnType<typeof createHookSession>, transcript_path: string) {
  const tool_response = 'boom\n';
  return answerEvent('PostToolUse', { ...testCall, tool_use_id: 'call_1', transcript_path, tool_response });
}

describe('pawl hook codex', () => {
  it('reads from the transcript whether a call failed', () => {
    const failing = createHookSession(codexHost);
    const failed = writeCodexTranscript([codexResult('call_1', 1), codexResult('call_2', 0)]);
    finishCodexCall(failing, failed);
    expect(finishCodexCall(failing, failed)).toMatchObject({
      hookSpecificOutput: {
        hookEventName: 'PostToolUse',
        additionalContext: expect.stringContaining('failed 2 times in a row') as string,
      },
    });
    const succeeding = createHookSession(codexHost);
    const succeeded = writeCodexTranscript([codexResult('call_1', 0)]);
    finishCodexCall(succeeding, succeeded);
    expect(finishCodexCall(succeeding, succeeded)).toBeNull();
  });

  it('denies a failing call, then interrupts codex exec, because no answer ends its turn', () => {
    const interrupted: string[] = [];
    const answerEvent = createHookSession(codexHost, null, ({ name }) => interrupted.push(name));
    const transcript = writeCodexTranscript([codexResult('call_1', 2)]);
    for (let count = 0; count < 3; count += 1) finishCodexCall(answerEvent, transcript);
    const answers = Array.from({ length: 6 }, () => answerEvent('PreToolUse', testCall));
    // Codex rejects a denial without a reason, and `continue: false` before a call.
    const denial = {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(/\S/) as string,
      },
    };
    const stop = { ...denial, systemMessage: expect.stringContaining('Esc') as string };
    expect(answers).toEqual([denial, denial, stop, stop, stop, stop]);
    expect(interrupted).toEqual(['codex', 'codex', 'codex', 'codex']);
  });
});

/** Writes a transcript as Codex 0.169 does: the calls of a reply, their events, then their results. */
function writeCodexReplies(replies: readonly (readonly string[])[], after = ''): string {
  const path = join(mkdtempSync(join(tmpdir(), 'pawl-codex-')), 'rollout.jsonl');
  const lines = replies.flatMap((ids) => [
    ...ids.map((call_id) => ({ type: 'response_item', payload: { type: 'function_call', call_id } })),
    ...ids.map((id) => ({
      type: 'event_msg',
      payload: { type: 'item_completed', item: codexResult(id, 0, 'x') },
    })),
    ...ids.map((call_id) => ({ type: 'response_item', payload: { type: 'function_call_output', call_id } })),
    { type: 'event_msg', payload: { type: 'token_count' } },
  ]);
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n${after}`);
  return path;
}

/** Repeats a call until the work is finished; returns what requests another call. */
function finishWork(transcript_path: string, interrupted: string[]) {
  const answerEvent = createHookSession(codexHost, null, ({ name }) => interrupted.push(name));
  for (const id of ['1', '2', '3', '4']) {
    const call = { ...testCall, transcript_path, tool_use_id: `call_${id}` };
    expect(answerEvent('PreToolUse', call)).toBeNull();
    answerEvent('PostToolUse', { ...call, tool_response: 'as ever' });
  }
  return (tool_use_id: string) =>
    answerEvent('PreToolUse', { tool_name: 'Read', tool_input: {}, transcript_path, tool_use_id });
}

describe('pawl hook codex at the end of the work', () => {
  it('interrupts codex exec at the first call of the next reply', () => {
    const interrupted: string[] = [];
    const path = writeCodexReplies([['call_1'], ['call_2'], ['call_3'], ['call_4'], ['call_5']]);
    const request = finishWork(path, interrupted);
    expect(request('call_5')).toHaveProperty('systemMessage');
    expect(interrupted).toEqual(['codex']);
  });

  it('only denies the other calls of the reply that finished the work', () => {
    const interrupted: string[] = [];
    const parallel = ['call_4', 'call_5', 'call_6', 'call_7'];
    const path = writeCodexReplies([['call_1'], ['call_2'], ['call_3'], parallel, ['call_8']]);
    const request = finishWork(path, interrupted);
    for (const id of ['call_5', 'call_6', 'call_7']) {
      expect(request(id)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
      expect(interrupted).toEqual([]);
    }
    request('call_8');
    expect(interrupted).toEqual(['codex']);
  });
});

describe('the reply of a call in a Codex transcript', () => {
  const replies = [['call_1'], ['call_2', 'call_3'], ['call_4']];

  it('is the same for parallel calls only', () => {
    const path = writeCodexReplies(replies);
    const ids = ['call_1', 'call_2', 'call_3', 'call_4'].map((id) => readCodexCallReply(path, id));
    expect(ids[0]).toBe('first');
    expect(ids[1]).toBe(ids[2]);
    expect(new Set(ids).size).toBe(3);
  });

  it('stays the same while the transcript grows, also beyond the part that is read first', () => {
    const path = writeCodexReplies(replies);
    const before = readCodexCallReply(path, 'call_4');
    appendFileSync(path, '{}\n'.repeat(200_000));
    expect(readCodexCallReply(path, 'call_4')).toBe(before);
  });

  it('differs between replies whose calls have the same ids', () => {
    const before = readCodexCallReply(writeCodexReplies([['call_1'], ['call_1']]), 'call_1');
    const after = readCodexCallReply(writeCodexReplies([['call_1'], ['call_1'], ['call_1']]), 'call_1');
    expect(before).toMatch(/^\d+$/);
    expect(after).toMatch(/^\d+$/);
    expect(after).not.toBe(before);
  });

  it('is unknown if the call, or what came before it, is not in the transcript or too far back', () => {
    const path = writeCodexReplies(replies, '{"payload":{"type":"function_call","call_id":"call_9"\n');
    const long = writeCodexReplies([['call_1']], '{}\n'.repeat(1_000_000));
    appendFileSync(long, '{"payload":{"type":"function_call","call_id":"call_2"}}\n');
    for (const [file, id] of [
      [path, 'call_8'],
      [path, 'call_9'],
      [path, ''],
      ['', 'call_1'],
      [`${path}.missing`, 'call_1'],
      [tmpdir(), 'call_1'],
      [long, 'call_1'],
      [long, 'call_2'],
    ] as const)
      expect(readCodexCallReply(file, id)).toBeUndefined();
  });
});

describe('the result of a call in a Codex transcript', () => {
  it('is found near the end of a long transcript, and behind a long output', () => {
    const long = writeCodexTranscript([codexResult('call_1', 1)], 1_000_000);
    expect(readCodexCallSuccess(long, 'call_1')).toBe(false);
    const wordy = writeCodexTranscript([codexResult('call_1', 0, 'x'.repeat(500_000))], 1_000_000);
    expect(readCodexCallSuccess(wordy, 'call_1')).toBe(true);
  });

  it('is read from the status of tools without an exit code, and from the events of older versions', () => {
    const items = [
      { type: 'McpToolCall', id: 'call_1', status: 'failed' },
      { type: 'McpToolCall', id: 'call_2', status: 'completed' },
    ];
    const path = writeCodexTranscript(items);
    appendFileSync(
      path,
      `${JSON.stringify({ payload: { type: 'exec_command_end', call_id: 'call_3', exit_code: 7 } })}\n`,
    );
    expect(['call_1', 'call_2', 'call_3'].map((id) => readCodexCallSuccess(path, id))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('is unknown if the transcript is missing, unreadable, unrelated or damaged', () => {
    const path = writeCodexTranscript([
      { type: 'CommandExecution', id: 'call_1', status: 'in_progress' },
      { type: 'McpToolCall', id: 'call_2', status: 7 },
    ]);
    appendFileSync(path, '{"payload":{"item":{"id":"call_3","exit_code":1\nnull\n"call_3"\n[7]\n');
    for (const [file, id] of [
      [path, 'call_1'],
      [path, 'call_2'],
      [path, 'call_3'],
      [path, 'call_9'],
      [path, ''],
      ['', 'call_1'],
      [`${path}.missing`, 'call_1'],
      [tmpdir(), 'call_1'],
    ] as const)
      expect(readCodexCallSuccess(file, id)).toBeUndefined();
  });
});

describe('the host process to interrupt', () => {
  const program = { name: 'codex', subcommands: ['exec', 'e'] };
  const findHost = (...argvs: readonly (readonly string[])[]) =>
    findHostProcess(program, 100, (id) => {
      const argv = argvs[id - 100];
      return argv === undefined ? null : { parent: id + 1, argv };
    });

  it('is the closest codex exec', () => {
    expect(findHost(['/opt/bin/codex', '-m', 'x', 'exec', 'Fix it'])).toBe(100);
    expect(findHost(['sh', '-c', 'pawl'], ['codex', 'e', '--json', 'Fix it'], ['zsh'])).toBe(101);
  });

  it('is never the interactive program, another program or a distant ancestor', () => {
    expect(findHost(['codex', '--', 'exec'])).toBeNull();
    expect(findHost(['codex'], ['codex', 'exec', 'Run codex'])).toBeNull();
    expect(findHost(['sh'], ['node', 'codex', 'exec'])).toBeNull();
    expect(findHost(['a'], ['b'], ['c'], ['d'], ['codex', 'exec'])).toBeNull();
    expect(findHost()).toBeNull();
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

describe('parallel calls of a reply that ends the work', () => {
  const call = { tool_name: 'read_file', tool_input: { path: 'a' } };

  it('are only denied by Gemini CLI, which is stopped if it makes calls without tools', () => {
    const answerEvent = createHookSession(geminiHost, 1);
    answerEvent('AfterTool', { ...call, tool_response: { llmContent: 'text' } });
    for (let count = 0; count < 4; count += 1)
      expect(answerEvent('BeforeTool', call)).toHaveProperty('decision', 'deny');
    expect(answerEvent('BeforeToolSelection')).not.toBeNull();
    expect(answerEvent('BeforeTool', call)).toHaveProperty('continue', false);
  });

  it('are only denied by Claude Code', () => {
    const answerEvent = createHookSession(claudeHost, 1);
    answerEvent('PostToolUse', { ...call, tool_response: 'text' });
    for (let count = 0; count < 4; count += 1)
      expect(answerEvent('PreToolUse', call)).not.toHaveProperty('continue');
    expect(answerEvent('PostToolBatch')).toBeNull();
    expect(answerEvent('PreToolUse', call)).toHaveProperty('continue', false);
  });
});

describe('pawl hook qwen', () => {
  const shell = { tool_name: 'run_shell_command', tool_input: { command: 'make', is_background: false } };
  // The real client reports a failing command as a success of the tool.
  const llmContent = 'Command: make\nOutput: boom\nError: (none)\nExit Code: 2\nProcess Group PGID: 7';

  it('blocks the next call of the model at a stop, because no answer around a call ends the turn', () => {
    const answerEvent = createHookSession(qwenHost);
    // Before each further call of the model, Qwen Code reports a user message without text.
    const continueTurn = () => answerEvent('UserPromptSubmit', { prompt: '' });
    const fail = () => answerEvent('PostToolUse', { ...shell, tool_response: { llmContent } });
    expect(answerEvent('UserPromptSubmit', { prompt: 'Build it.' })).toBeNull();
    fail();
    expect(continueTurn()).toBeNull();
    expect(fail()).toMatchObject({
      hookSpecificOutput: { additionalContext: expect.stringContaining('failed 2 times') as string },
    });
    fail();
    for (let count = 0; count < 2; count += 1) {
      expect(answerEvent('PreToolUse', shell)).toMatchObject({
        hookSpecificOutput: { permissionDecision: 'deny' },
      });
      expect(continueTurn()).toBeNull();
    }
    expect(answerEvent('PreToolUse', shell)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
    expect(continueTurn()).toEqual({
      decision: 'block',
      reason: expect.stringContaining('Pawl stopped the agent.') as string,
    });
    expect(answerEvent('UserPromptSubmit', { prompt: 'Try again.' })).toBeNull();
    expect(answerEvent('PreToolUse', shell)).toBeNull();
  });
});

describe('pawl hook opencode', () => {
  it('reads the exit code, and stops in the format of its plugin', () => {
    const answerEvent = createHookSession(opencodeHost);
    const call = { tool_name: 'bash', tool_input: { command: 'make' } };
    const end = (exit_code: number | null) =>
      answerEvent('PostToolUse', { ...call, tool_response: 'done', exit_code });
    end(2);
    expect(end(2)).toMatchObject({
      hookSpecificOutput: { additionalContext: expect.stringContaining('failed 2 times') as string },
    });
    end(2);
    for (let count = 0; count < 2; count += 1) answerEvent('PreToolUse', call);
    expect(answerEvent('PreToolUse', call)).toMatchObject({ continue: false });
    answerEvent('UserPromptSubmit');
    end(0);
    expect(end(null)).toBeNull();
  });

  it('stops at the first call of the next reply, and only denies parallel calls', () => {
    const call = { tool_name: 'bash', tool_input: { command: 'make' } };
    const answerEvent = createHookSession(opencodeHost);
    for (const reply of ['1', '2', '3', '4']) {
      expect(answerEvent('PreToolUse', { ...call, reply })).toBeNull();
      answerEvent('PostToolUse', { ...call, reply, tool_response: 'as ever' });
    }
    for (let count = 0; count < 5; count += 1) {
      const parallel = answerEvent('PreToolUse', { ...call, reply: '4' });
      expect(parallel).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    }
    expect(answerEvent('PreToolUse', { ...call, reply: '5' })).toMatchObject({ continue: false });
  });

  it('denies a reply before it stops if the work ended with a tool that threw, whose result carries no advice', () => {
    const call = { tool_name: 'read', tool_input: { filePath: 'x' } };
    const answerEvent = createHookSession(opencodeHost);
    for (const error of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
      answerEvent('PostToolUseFailure', { ...call, tool_input: { filePath: error }, error });
    const other = { tool_name: 'glob', tool_input: { pattern: '*' } };
    for (let count = 0; count < 3; count += 1) {
      const denied = answerEvent('PreToolUse', { ...other, reply: '9' });
      expect(denied).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    }
    expect(answerEvent('PreToolUse', { ...other, reply: '10' })).toMatchObject({ continue: false });
  });
});

/** Reports a finished command as the real client does with these event names. */
function finishShell(answerEvent: ReturnType<typeof createHookSession>, shell: number, exitCode: number) {
  const text_result_for_llm = `boom\n<shellId: ${shell} completed with exit code ${exitCode}>`;
  return answerEvent('PostToolUse', {
    ...testCall,
    tool_result: { result_type: 'success', text_result_for_llm },
  });
}

describe('pawl hook copilot', () => {
  it('reads the exit code, advises and denies without hookSpecificOutput, and interrupts copilot -p', () => {
    const interrupted: string[] = [];
    const answerEvent = createHookSession(copilotHost, null, ({ name }) => interrupted.push(name));
    finishShell(answerEvent, 0, 1);
    expect(finishShell(answerEvent, 1, 1)).toEqual({
      additionalContext: expect.stringMatching(/^\[Note .* failed 2 times/) as string,
    });
    finishShell(answerEvent, 2, 1);
    for (let count = 0; count < 3; count += 1) {
      expect(answerEvent('PreToolUse', testCall)).toEqual({
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining('failed 3 times') as string,
      });
    }
    expect(interrupted).toEqual(['copilot']);
  });

  it('interrupts copilot -p at the first call after the results of a reply, whose calls it reports first', () => {
    const interrupted: string[] = [];
    const answerEvent = createHookSession(copilotHost, null, ({ name }) => interrupted.push(name));
    for (let shell = 0; shell < 4; shell += 1) finishShell(answerEvent, shell, 0);
    expect(answerEvent('PreToolUse', testCall)).toHaveProperty('permissionDecision', 'deny');
    expect(interrupted).toEqual(['copilot']);
  });

  it('only denies the other calls of a reply, which have the same timestamp, if a denial ends the work', () => {
    const interrupted: string[] = [];
    const answerEvent = createHookSession(copilotHost, 1, ({ name }) => interrupted.push(name));
    finishShell(answerEvent, 0, 0);
    const request = (timestamp: string) => answerEvent('PreToolUse', { ...testCall, timestamp });
    for (let count = 0; count < 4; count += 1)
      expect(request('2026-01-01T00:00:00.000Z')).toHaveProperty('permissionDecision', 'deny');
    expect(interrupted).toEqual([]);
    request('2026-01-01T00:00:02.000Z');
    expect(interrupted).toEqual(['copilot']);
  });

  it('does not count the results of parallel calls as replies', () => {
    const interrupted: string[] = [];
    const answerEvent = createHookSession(copilotHost, null, ({ name }) => interrupted.push(name));
    for (let count = 0; count < 7; count += 1) expect(answerEvent('PreToolUse', testCall)).toBeNull();
    for (let shell = 0; shell < 7; shell += 1) finishShell(answerEvent, shell, 0);
    expect(interrupted).toEqual([]);
  });

  it('recognizes equal results of different shells, and failures of tools', () => {
    const repeating = createHookSession(copilotHost);
    const answers = Array.from({ length: 5 }, (_, shell) => finishShell(repeating, shell, 0));
    expect(answers.some((answer) => answer !== null)).toBe(true);
    const failing = createHookSession(copilotHost);
    const fail = () => failing('PostToolUseFailure', { ...testCall, error: 'Path does not exist' });
    fail();
    expect(fail()).toHaveProperty('additionalContext');
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

const createCursorSession = (): ReturnType<typeof createHookSession> => {
  const answerEvent = createHookSession(cursorHost);
  sessions += 1;
  const common = { session_id: null, conversation_id: `conversation ${sessions}`, cursor_version: '2.4.0' };
  return (event, more) => answerEvent(event, { ...common, ...more });
};

describe('pawl hook cursor', () => {
  const shellCall = { tool_name: 'Shell', tool_input: { command: 'npm test', cwd: '/project' } };
  it('advises after failures, denies the call, and keeps denying, in the format of Cursor', () => {
    const answerEvent = createCursorSession();
    const fail = (): unknown =>
      answerEvent('postToolUseFailure', { ...shellCall, error_message: '1 failed', failure_type: 'error' });
    expect(answerEvent('preToolUse', shellCall)).toBeNull();
    expect(fail()).toBeNull();
    expect(fail()).toEqual({
      additional_context: expect.stringMatching(/^\[Note from .* failed 2 times in a row/) as string,
    });
    fail();
    expect(answerEvent('preToolUse', shellCall)).toEqual({
      permission: 'deny',
      user_message: expect.stringMatching(/^Pawl denied this call\. Not run again/) as string,
      agent_message: expect.stringMatching(/^\[Note from .* Not run again/) as string,
    });
    const answers = Array.from({ length: 5 }, () => answerEvent('preToolUse', shellCall));
    expect(answers.at(-1)).toMatchObject({
      permission: 'deny',
      user_message: expect.stringContaining('Stop it') as string,
    });
    answerEvent('beforeSubmitPrompt', { prompt: 'Do something else.' });
    expect(answerEvent('preToolUse', shellCall)).toBeNull();
  });

  it('counts neither interrupted and denied calls nor calls after the end of the session', () => {
    const answerEvent = createCursorSession();
    const fail = (more: { readonly [name: string]: Json }): unknown =>
      answerEvent('postToolUseFailure', { ...shellCall, error_message: 'stopped', ...more });
    for (let count = 0; count < 8; count += 1) {
      expect(fail({ is_interrupt: true, failure_type: 'error' })).toBeNull();
      expect(fail({ failure_type: 'permission_denied' })).toBeNull();
      expect(fail({ failure_type: 'error' })).toBeNull();
      expect(answerEvent('sessionEnd', { reason: 'completed' })).toBeNull();
    }
    expect(answerEvent('preToolUse', shellCall)).toBeNull();
  });

  it('reads the exit code in the output of a command, and the failure of an MCP tool', () => {
    const commands = createCursorSession();
    const output = JSON.stringify({ output: 'no rule', exitCode: 2 });
    const run = (): unknown => commands('postToolUse', { ...shellCall, tool_output: output });
    expect([run(), run()].map((answer) => JSON.stringify(answer))).toEqual([
      'null',
      expect.stringContaining('failed 2 times'),
    ]);
    const tools = createCursorSession();
    const call = { tool_name: 'MCP:issue', tool_input: '{"id":1}' };
    const tool_output = JSON.stringify({ isError: true, content: [{ type: 'text', text: 'no such issue' }] });
    expect(tools('postToolUse', { ...call, tool_output })).toBeNull();
    expect(JSON.stringify(tools('postToolUse', { ...call, tool_output }))).toContain('failed 2 times');
  });

  it('says nothing while the agent makes progress', () => {
    const answerEvent = createCursorSession();
    for (let count = 0; count < 12; count += 1) {
      const call = { tool_name: 'Read', tool_input: { path: `room-${count}.txt` } };
      expect(answerEvent('preToolUse', call)).toBeNull();
      expect(answerEvent('postToolUse', { ...call, tool_output: `Room ${count}: a door.` })).toBeNull();
    }
  });

  it('governs a session of Cursor once, also if the hooks of Claude Code are installed', () => {
    const answerEvent = createHookSession(claudeHost);
    const failure = { ...testCall, error: 'Exit code 1', cursor_version: '2.4.0' };
    for (let count = 0; count < 8; count += 1) expect(answerEvent('PostToolUseFailure', failure)).toBeNull();
  });

  it('rejects input of another program by naming the fields that Cursor sends', () => {
    const context = { states: hookStates, now: () => 0, callsMax: null };
    expect(() => answerHook(cursorHost, '{"tool":"Bash"}', context)).toThrow(
      'The hook expects conversation_id and hook_event_name, as Cursor sends them, and got tool.',
    );
    expect(() => answerHook(clineHost, '{}', context)).toThrow('taskId and hookName');
  });
});

const createClineSession = (agent: string | null = null) => {
  sessions += 1;
  const common = {
    taskId: `conv_${sessions}`,
    sessionContext: { rootSessionId: `root ${sessions}` },
    agent_id: agent ?? 'main',
    parent_agent_id: agent === null ? null : 'main',
  };
  const answerEvent = (hookName: string, more: { readonly [name: string]: Json }): unknown => {
    const context = { states: hookStates, now: () => 0, callsMax: null };
    const answer = answerHook(clineHost, JSON.stringify({ ...common, hookName, ...more }), context);
    return answer === '' ? null : JSON.parse(answer);
  };
  /** Returns the answers before and after a call. */
  return (iteration: number, command: string, output: Json, success = true): readonly unknown[] => {
    const call = { id: `call_${iteration}`, name: 'run_commands', input: { commands: [command] } };
    return [
      answerEvent('tool_call', { iteration, tool_call: call }),
      answerEvent('tool_result', { iteration, tool_result: { ...call, output }, postToolUse: { success } }),
    ];
  };
};

describe('pawl hook cline', () => {
  const failed = [{ query: 'make', result: '', error: 'no rule', success: false }];

  it('advises after failures, objects to the call, and ends the run, in the format of Cline', () => {
    const runCall = createClineSession();
    expect(runCall(1, 'make', failed)).toEqual([null, null]);
    const [before, advice] = runCall(2, 'make', failed);
    expect(before).toBeNull();
    expect(advice).toEqual({
      contextModification: expect.stringMatching(/^\[Note from .* failed 2 times in a row/) as string,
    });
    runCall(3, 'make', failed);
    const answers = Array.from({ length: 4 }, (_, index) => runCall(index + 4, 'make', failed)[0]);
    expect(answers[0]).toEqual({
      contextModification: expect.stringContaining('This call should not have been made') as string,
    });
    // Cline cannot deny a call, so no answer claims that it was not run.
    expect(JSON.stringify(answers)).not.toContain('Not run again');
    expect(answers).toContainEqual({
      cancel: true,
      errorMessage: expect.stringMatching(
        /^Pawl stopped the agent\. This work has come to its end/,
      ) as string,
    });
  });

  it('forgets the calls before a user message, which the first reply after it shows', () => {
    const runCall = createClineSession();
    for (let iteration = 1; iteration <= 8; iteration += 1) runCall(iteration, 'make', failed);
    expect(runCall(1, 'make', failed)).toEqual([null, null]);
  });

  it('says nothing while the agent makes progress', () => {
    const runCall = createClineSession();
    for (let iteration = 1; iteration <= 12; iteration += 1) {
      const output = [{ query: 'cat', result: `Room ${iteration}: a door.`, success: true }];
      expect(runCall(iteration, `cat room-${iteration}.txt`, output)).toEqual([null, null]);
    }
  });

  it('counts the calls of a sub-agent apart', () => {
    const runMain = createClineSession();
    const runSub = createClineSession('sub');
    expect(runMain(1, 'make', failed)[1]).toBeNull();
    expect(runSub(1, 'make', failed)[1]).toBeNull();
  });
});
