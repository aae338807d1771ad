import { readFileSync } from 'node:fs';
import type { Json } from '../../src/index.ts';

/*
 * Sessions that coding agents recorded while a scripted model made the same calls in each: it lists the files, reads one
 * that is not there, enters a folder that is not there, and says that it is done. They are shortened, and their paths
 * changed.
 */

function readRecording(name: string): readonly Json[] {
  const text = readFileSync(new URL(`recordings/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
}

/** Gemini CLI 0.61.0. */
export const geminiCliSample: Json = readRecording('gemini-cli');

/** Qwen Code 0.15.10. */
export const qwenCodeSample: Json = readRecording('qwen-code');

/** opencode 1.18.33, as it exports a session. */
export const opencodeSample: Json = readRecording('opencode')[0] ?? null;

/** Cline 3.0.65. */
export const clineSample: Json = readRecording('cline')[0] ?? null;

/** The command line interface of Continue 1.5.47. */
export const continueSample: Json = readRecording('continue')[0] ?? null;

/** GitHub Copilot CLI 1.0.102. */
export const copilotCliSample: Json = readRecording('copilot-cli');

/** A session of GitHub Copilot CLI before the lines. */
export const copilotHistorySample: Json = {
  sessionId: 's1',
  startTime: '2025-10-08T21:10:16.398Z',
  chatMessages: [
    { role: 'user', content: 'Fix the build' },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'a.txt\n<exited with exit code 0>' },
    { role: 'assistant', content: 'All done.' },
  ],
  timeline: [],
};

const cursorCall = (id: string, toolName: string, args: Json): Json => ({
  type: 'tool-call',
  toolCallId: id,
  toolName,
  args,
});

const cursorResult = (id: string, toolName: string, result: string, isError: boolean): Json => ({
  role: 'tool',
  id,
  content: [{ type: 'tool-result', toolCallId: id, toolName, result, isError }],
});

/** A chat of Cursor's command line interface, in the form that public readers of its database document. */
export const cursorChatSample: Json = {
  cursorChat: {
    agentId: 's1',
    latestRootBlobId: '00',
    name: 'Build',
    mode: 'auto-run',
    lastUsedModel: 'test-model',
  },
  messages: [
    { role: 'system', content: 'You are an AI coding assistant.' },
    { role: 'user', content: '<user_info>\nOS: linux\n</user_info>' },
    { role: 'user', content: '<user_query>\nFix the build\n</user_query>' },
    {
      id: '1',
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Which files are there?', signature: 'x' },
        { type: 'text', text: 'I look.' },
        cursorCall('c1', 'Shell', { command: 'ls' }),
        cursorCall('c2', 'Read', { path: '/project/nothere.txt' }),
      ],
    },
    cursorResult('c1', 'Shell', 'Exit code: 0\n\nCommand output:\n\na.txt', false),
    cursorResult('c2', 'Read', 'File not found', true),
    { id: '1', role: 'assistant', content: [{ type: 'text', text: 'All done.' }] },
  ],
};

const cursorTool = (name: string, args: Json, more: { readonly [name: string]: Json }): Json => ({
  tool: 15,
  toolCallId: `call ${name}`,
  name,
  rawArgs: JSON.stringify(args),
  ...more,
});

/** A conversation in Cursor's editor, in the form that public readers of its database document. */
export const cursorConversationSample: Json = {
  composerData: { _v: 10, composerId: 's1', name: 'Build', modelConfig: { modelName: 'test-model' } },
  bubbles: [
    { _v: 3, type: 1, bubbleId: 'b1', text: 'Fix the build', createdAt: '2026-03-01T10:00:00.000Z' },
    { _v: 3, type: 2, bubbleId: 'b2', text: '', thinking: { text: 'Which files are there?' } },
    { _v: 3, type: 2, bubbleId: 'b3', text: 'I look.', tokenCount: { inputTokens: 900, outputTokens: 50 } },
    {
      _v: 3,
      type: 2,
      bubbleId: 'b4',
      text: '',
      tokenCount: { inputTokens: 0, outputTokens: 0 },
      toolFormerData: cursorTool(
        'run_terminal_cmd',
        { command: 'make' },
        { status: 'completed', result: '{"output":"no rule","exitCode":2}' },
      ),
    },
    {
      _v: 3,
      type: 2,
      bubbleId: 'b5',
      text: '',
      toolFormerData: cursorTool(
        'read_file',
        { target_file: 'a.txt' },
        { status: 'completed', result: '{"contents":"a"}' },
      ),
    },
    {
      _v: 3,
      type: 2,
      bubbleId: 'b6',
      text: '',
      toolFormerData: cursorTool(
        'read_file_v2',
        { path: 'b.txt' },
        { status: 'error', error: 'no such file' },
      ),
    },
    { _v: 3, type: 2, bubbleId: 'b7', text: 'All done.', toolFormerData: {} },
  ],
};

/** A transcript of an agent of Cursor, which has no results. */
export const cursorTranscriptSample: Json = [
  {
    role: 'user',
    message: { content: [{ type: 'text', text: '<user_query>\nFix the build\n</user_query>' }] },
  },
  {
    role: 'assistant',
    message: {
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', name: 'Shell', input: { command: 'ls' } },
      ],
    },
  },
  { role: 'assistant', message: { content: [{ type: 'text', text: 'All done.' }] } },
  { type: 'turn_ended' },
];

const environment = '<environment_details>\n# VSCode Visible Files\na.txt\n</environment_details>';

/** A task of Cline before it used native tools, with the messages of its user interface. */
export const clineTaskSample: Json = {
  api_conversation_history: [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<task>\nFix the build\n</task>' },
        { type: 'text', text: environment },
      ],
    },
    {
      role: 'assistant',
      content: [
        {
          type: 'text',
          text: '<thinking>Which files are there?</thinking>\n\nI look.\n\n<execute_command>\n<command>ls</command>\n<requires_approval>false</requires_approval>\n</execute_command>',
        },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: "[execute_command for 'ls'] Result:" },
        { type: 'text', text: 'Command executed.\nOutput:\na.txt' },
        { type: 'text', text: environment },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'text', text: '<read_file>\n<path>nothere.txt</path>\n</read_file>' }],
    },
    {
      role: 'user',
      content: [
        {
          type: 'text',
          text: `[read_file for 'nothere.txt'] Result:\nThe tool execution failed with the following error:\n<error>\nError reading file: File not found: /project/nothere.txt\n</error>`,
        },
        { type: 'text', text: environment },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'I think that it is done.' }] },
    {
      role: 'user',
      content: [
        {
          type: 'text',
          text: '[ERROR] You did not use a tool in your previous response! Please retry with a tool use.',
        },
        { type: 'text', text: environment },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: '<attempt_completion>\n<result>\nAll done.\n</result>\n</attempt_completion>' },
      ],
    },
  ],
  ui_messages: [
    { ts: 1, type: 'say', say: 'text', text: 'Fix the build' },
    ...[1000, 1100, 1200, 1300].map((tokensIn) => ({
      ts: 2,
      type: 'say',
      say: 'api_req_started',
      text: JSON.stringify({
        request: '…',
        tokensIn,
        tokensOut: 50,
        cacheWrites: 0,
        cacheReads: 200,
        cost: 0,
      }),
    })),
  ],
};
