import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a file below a folder, as lines of JSON, and returns its path. */
export function writeJsonLines(folder: string, name: string, lines: readonly unknown[]): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  return path;
}

export type SessionCalls = readonly {
  readonly command: string;
  readonly output: string;
  readonly failed?: boolean;
}[];

/** A call that fails this many times in the same way. */
export function repeatFailingCall(times: number, command = 'make', output = 'make: no rule'): SessionCalls {
  return Array.from({ length: times }, () => ({ command, output, failed: true }));
}

export const healthyCalls: SessionCalls = [
  { command: 'ls', output: 'a.txt' },
  { command: 'cat a.txt', output: 'A letter.' },
];

const startTime = Date.UTC(2026, 2, 1, 8);

function formatStepTime(index: number): string {
  return new Date(startTime + index * 1_000).toISOString();
}

/** The lines of a session, as Claude Code writes them. */
export function createClaudeCodeSession(sessionId: string, calls: SessionCalls): readonly object[] {
  return [
    { type: 'summary', summary: 'A session', leafUuid: 'x' },
    {
      type: 'user',
      sessionId,
      uuid: `${sessionId}-start`,
      timestamp: formatStepTime(0),
      message: { role: 'user', content: 'Build it.' },
    },
    ...calls.flatMap(({ command, output, failed = false }, index) => [
      {
        type: 'assistant',
        sessionId,
        uuid: `${sessionId}-a${index}`,
        timestamp: formatStepTime(2 * index + 1),
        message: {
          id: `message-${index}`,
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [{ type: 'tool_use', id: `call-${index}`, name: 'Bash', input: { command } }],
          usage: { input_tokens: 1_000, output_tokens: 100 },
        },
      },
      {
        type: 'user',
        sessionId,
        uuid: `${sessionId}-u${index}`,
        timestamp: formatStepTime(2 * index + 2),
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: `call-${index}`, content: output, is_error: failed }],
        },
      },
    ]),
  ];
}

/** The lines of a session, as Codex writes them. */
export function createCodexSession(id: string, calls: SessionCalls): readonly object[] {
  const timestamp = '2026-03-03T08:00:00.000Z';
  return [
    { timestamp, type: 'session_meta', payload: { id, cwd: '/work', cli_version: '0.50.0' } },
    { timestamp, type: 'turn_context', payload: { cwd: '/work', model: 'gpt-5-codex' } },
    ...calls.flatMap(({ command, output, failed = false }, index) => [
      {
        timestamp,
        type: 'response_item',
        payload: {
          type: 'function_call',
          name: 'shell',
          call_id: `call-${index}`,
          arguments: JSON.stringify({ command: ['bash', '-lc', command] }),
        },
      },
      {
        timestamp,
        type: 'response_item',
        payload: {
          type: 'function_call_output',
          call_id: `call-${index}`,
          output: JSON.stringify({ output, metadata: { exit_code: failed ? 2 : 0, duration_seconds: 0.1 } }),
        },
      },
    ]),
  ];
}
