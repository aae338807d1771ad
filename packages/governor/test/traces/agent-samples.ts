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
