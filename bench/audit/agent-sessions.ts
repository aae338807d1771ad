import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const sessionStepsMax = 120;

/** Writes sessions of Claude Code and Codex, each a file; every tenth session ends in a loop. */
export function writeAgentSessions(folder: string, bytesMin: number): void {
  mkdirSync(join(folder, 'sessions'));
  let bytes = 0;
  for (let index = 0; bytes < bytesMin; index += 1) {
    const createLines = index % 2 === 0 ? createClaudeCodeLines : createCodexLines;
    const text = `${createLines(index)
      .map((line) => JSON.stringify(line))
      .join('\n')}\n`;
    writeFileSync(join(folder, 'sessions', `session-${index}.jsonl`), text);
    bytes += text.length;
  }
}

type SessionCall = { readonly id: string; readonly command: string; readonly output: string };

const codeLines = [
  "import { readFile } from 'node:fs/promises';",
  'export async function loadSettings(path: string): Promise<Settings> {',
  "  const text = await readFile(path, 'utf8');",
  '  const entries = parseEntries(text).filter((entry) => entry.name.length > 0);',
  '  if (entries.length === 0) throw new Error(`No settings in ${path}`);',
  '  return Object.fromEntries(entries.map(({ name, value }) => [name, value]));',
  '}',
  '',
  '/** Waits until the server answers, at most for the given time in milliseconds. */',
  'async function waitForServer(url: URL, timeoutMs = 5_000): Promise<void> {',
  '  for (const attempt of createAttempts(timeoutMs)) {',
];

function listSessionCalls(session: number): readonly SessionCall[] {
  return Array.from({ length: sessionStepsMax }, (_, index) => {
    // The last steps of every tenth session repeat one call.
    const step = session % 10 === 0 ? Math.min(index, sessionStepsMax - 20) : index;
    const path = `src/module-${(session * 7 + step) % 90}/file-${step}.ts`;
    const lines = Array.from(
      { length: 12 + ((session + step * 5) % 30) },
      (_line, line) => `${line + 1}\t${codeLines[(step + line) % codeLines.length]}`,
    );
    return {
      id: `call-${session}-${index}`,
      command: step % 3 === 0 ? `npm test -- ${path}` : `sed -n '1,60p' ${path}`,
      output: `${step % 3 === 0 ? 'Tests  1 failed | 4 passed\n' : ''}${lines.join('\n')}`,
    };
  });
}

function createClaudeCodeLines(session: number): readonly object[] {
  const base = { sessionId: `session-${session}`, version: '2.0.1', cwd: '/work', isSidechain: false };
  const createTime = (index: number): string =>
    new Date(Date.UTC(2026, session % 12, 1 + (session % 28), 8, 0, index)).toISOString();
  return [
    {
      ...base,
      type: 'user',
      uuid: `start-${session}`,
      timestamp: createTime(0),
      message: { role: 'user', content: 'Fix the tests.' },
    },
    ...listSessionCalls(session).flatMap(({ id, command, output }, index) => [
      {
        ...base,
        type: 'assistant',
        uuid: `${id}-a`,
        timestamp: createTime(index),
        message: {
          id: `message-${id}`,
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [
            { type: 'text', text: `Step ${index}: look at the result of the last command and go on.` },
            { type: 'tool_use', id, name: 'Bash', input: { command, description: 'Run a command' } },
          ],
          usage: { input_tokens: 20, cache_read_input_tokens: 30_000, output_tokens: 90 },
        },
      },
      {
        ...base,
        type: 'user',
        uuid: `${id}-u`,
        timestamp: createTime(index),
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: output }] },
        toolUseResult: { stdout: output, stderr: '', interrupted: false },
      },
    ]),
  ];
}

function createCodexLines(session: number): readonly object[] {
  const timestamp = '2026-03-01T08:00:00.000Z';
  return [
    { timestamp, type: 'session_meta', payload: { id: `session-${session}`, cwd: '/work' } },
    ...listSessionCalls(session).flatMap(({ id, command, output }) => [
      {
        timestamp,
        type: 'response_item',
        payload: {
          type: 'function_call',
          name: 'shell',
          call_id: id,
          arguments: JSON.stringify({ command: ['bash', '-lc', command] }),
        },
      },
      {
        timestamp,
        type: 'response_item',
        payload: {
          type: 'function_call_output',
          call_id: id,
          output: JSON.stringify({ output, metadata: { exit_code: 0, duration_seconds: 0.2 } }),
        },
      },
    ]),
  ];
}
