import { describe, expect, it } from 'vitest';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { governMessages } from '@pawl/adapters/messages';
import { createSession, step, type Event, type Json } from '@pawl/core';
import { auditRun } from '@pawl/governor/audit';
import { parseTrace } from '@pawl/governor/traces';
import { createTracker } from '@pawl/governor/tracker';
import { failureKinds } from '../../governor/test/observations/tool-results.ts';
import { answerHook } from '../src/hook/answer-hook.ts';
import { claudeHost, codexHost } from '../src/hook/hosts.ts';
import { openHookStateStore } from '../src/hook/hook-state.ts';
import type { HookHost } from '../src/hook/hook-event.ts';
import type { JsonFields } from '../src/json-fields.ts';
import { anthropicWireFormat } from '../src/proxy/anthropic.ts';
import { createConversationRegistry } from '../src/proxy/conversations.ts';
import { createRequestGovernor } from '../src/proxy/governed-request.ts';
import { openaiChatWireFormat } from '../src/proxy/openai-chat.ts';
import { openaiResponsesWireFormat } from '../src/proxy/openai-responses.ts';
import type { WireFormat } from '../src/proxy/wire-format.ts';

/** Returns the rule or the advice that an entry point gives when a command has failed twice in the same way. */
type EntryPoint = (command: string, output: string) => string | null | undefined;

const hookStates = openHookStateStore(
  join(mkdtempSync(join(tmpdir(), 'pawl-results-')), 'h.sqlite'),
  () => 0,
);
let sessions = 0;

function createHookEntry(host: HookHost, toResponse: (output: string) => Json): EntryPoint {
  return (command, output) => {
    sessions += 1;
    const text = JSON.stringify({
      session_id: `session ${sessions}`,
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: { command },
      tool_response: toResponse(output),
    });
    const context = { states: hookStates, now: () => 0, callsMax: null };
    answerHook(host, text, context);
    return answerHook(host, text, context);
  };
}

function createProxyEntry(
  wire: WireFormat,
  toBody: (command: string, output: string) => JsonFields,
): EntryPoint {
  return (command, output) => judgeBody(wire, toBody(command, output)) ?? null;
}

function judgeBody(wire: WireFormat, body: JsonFields): string | undefined {
  const judged = createRequestGovernor(createConversationRegistry(), {})(wire, body, undefined);
  return judged?.kind === 'sent' ? judged.verdict?.rule : undefined;
}

function createChatMessages(command: string, output: string): readonly JsonFields[] {
  const args = JSON.stringify({ command });
  return [
    { role: 'user', content: 'go' },
    ...['c1', 'c2'].flatMap((id): readonly JsonFields[] => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'bash', arguments: args } }],
      },
      { role: 'tool', tool_call_id: id, content: output },
    ]),
  ];
}

function createAnthropicMessages(command: string, output: string): readonly JsonFields[] {
  return [
    { role: 'user', content: 'go' },
    ...['c1', 'c2'].flatMap((id): readonly JsonFields[] => [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'bash', input: { command } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: output }] },
    ]),
  ];
}

function createResponsesInput(command: string, output: string): readonly JsonFields[] {
  return [
    { role: 'user', content: 'go' },
    ...['c1', 'c2'].flatMap((call_id): readonly JsonFields[] => [
      { type: 'function_call', call_id, name: 'bash', arguments: JSON.stringify({ command }) },
      { type: 'function_call_output', call_id, output },
    ]),
  ];
}

function judgeSession(command: string, output: string): string | undefined {
  const call = { tool: 'bash', args: { command } };
  const events: readonly Event[] = [
    { type: 'user-message', at: 0, text: 'go' },
    ...['c1', 'c2'].flatMap((id): readonly Event[] => [
      { type: 'model-replied', at: 1, text: '', calls: [{ id, ...call, permission: 'allow' }] },
      { type: 'tool-finished', at: 2, callId: id, outcome: { ok: true, output } },
    ]),
  ];
  let session = createSession({ id: 's', at: 0, settings: { mutatingTools: [] } });
  let rule: string | undefined;
  for (const event of events) {
    const next = step(session, event);
    session = next.session;
    for (const note of next.notes) if (note.type === 'verdict') rule = note.verdict.rule;
  }
  return rule;
}

function judgeTracker(command: string, output: string): string | undefined {
  const tracker = createTracker({ sessionId: 's', preset: 'pawl', now: () => 0 });
  for (let time = 0; time < 2; time += 1)
    tracker.recordToolCall({ tool: 'bash', args: { command }, success: true, output });
  return tracker.stuck().rule ?? undefined;
}

function judgeTrace(document: Json): string | undefined {
  const [run] = parseTrace(document, 'run').runs;
  return run === undefined ? undefined : auditRun(run).at(-1)?.rule;
}

const entryPoints: readonly (readonly [name: string, entry: EntryPoint])[] = [
  ['session', judgeSession],
  ['tracker', judgeTracker],
  [
    'hook of Claude Code',
    createHookEntry(claudeHost, (stdout) => ({ stdout, stderr: '', interrupted: false })),
  ],
  ['hook of Codex', createHookEntry(codexHost, (output) => output)],
  [
    'proxy, OpenAI chat',
    createProxyEntry(openaiChatWireFormat, (...run) => ({ messages: createChatMessages(...run) })),
  ],
  [
    'proxy, OpenAI Responses',
    createProxyEntry(openaiResponsesWireFormat, (...run) => ({ input: createResponsesInput(...run) })),
  ],
  [
    'proxy, Anthropic',
    createProxyEntry(anthropicWireFormat, (...run) => ({ messages: createAnthropicMessages(...run) })),
  ],
  ['adapters', (...run) => governMessages(createChatMessages(...run)).verdict?.rule],
  ['audit of messages', (...run) => judgeTrace(createChatMessages(...run))],
  [
    'audit of SWE-agent',
    (command, observation) =>
      judgeTrace({ trajectory: ['a', 'b'].map((thought) => ({ thought, action: command, observation })) }),
  ],
  [
    'audit of normalized runs',
    (command, result) =>
      judgeTrace({
        id: 'run',
        steps: [0, 1].map((i) => ({ i, role: 'assistant', tool: 'bash', args: { command }, result })),
      }),
  ],
];

describe.each(entryPoints)('a failed command (%s)', (_name, entry) => {
  it.each(failureKinds)('is detected by its output: %s', (_kind, command, output) => {
    expect(entry(command, output)).toMatch(/repeated-failure|failed 2 times in a row/);
  });

  it('is not what prints an old failure', () => {
    for (const [, , output] of failureKinds.slice(2)) {
      expect(entry('cat last-run.log', output) ?? '').not.toMatch(/repeated-failure|failed 2 times in a row/);
    }
  });
});
