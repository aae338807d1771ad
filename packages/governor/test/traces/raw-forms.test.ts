import { describe, expect, it } from 'vitest';
import { formatToolOutput, type Json } from '../../src/index.ts';
import { auditRun, observeRecordedCall } from '../../src/audit/audit.ts';
import { moatlessFormat } from '../../src/traces/moatless.ts';
import { normalizedFormat } from '../../src/traces/normalized.ts';
import { openaiChatFormat } from '../../src/traces/openai-chat.ts';
import { openhandsFormat } from '../../src/traces/openhands.ts';
import { sweAgentFormat } from '../../src/traces/swe-agent.ts';
import type { RecordedRun, RecordedStep, TraceFormat } from '../../src/traces/trace-format.ts';
import { parseSingleRun } from './parse-single-run.ts';

/*
 * A normalized run says which calls failed, and most raw formats do not. The verdicts on both must be the same, because
 * the failure is read from the result.
 */

type Call = { readonly command: string; readonly result: string; readonly failed?: boolean };

function createRun(id: string, calls: readonly Call[]): RecordedRun {
  const steps = calls.map(({ command, result, failed = false }, i): RecordedStep => ({
    i: i + 1,
    role: 'assistant',
    text: `Step ${i}`,
    tool: 'bash',
    args: { command },
    result,
    error: failed,
  }));
  return { id, steps: [{ i: 0, role: 'user', text: 'Fix the bug.' }, ...steps] };
}

function repeatCall(times: number, createCall: (index: number) => Call): readonly Call[] {
  return Array.from({ length: times }, (_, index) => createCall(index));
}

const runs: readonly RecordedRun[] = [
  // The shell counts its lines, and nothing but its message says that the command failed.
  createRun('enters a folder that is not there', [
    { command: 'ls', result: 'src\npom.xml\n' },
    ...repeatCall(12, (index) => ({
      command: 'cd fastjson/',
      result: `bash: line ${12 + index}: cd: fastjson/: No such file or directory\n`,
      failed: true,
    })),
  ]),
  createRun('tries one folder after another', [
    ...repeatCall(12, (index) => ({
      command: `cd module${index}/`,
      result: `/bin/bash: line ${index + 1}: cd: module${index}/: No such file or directory`,
      failed: true,
    })),
  ]),
  createRun('compiles without a change', [
    ...repeatCall(10, (index) => ({
      command: 'javac Main.java',
      result: `bash: line ${62_215 + index}: javac: command not found`,
      failed: true,
    })),
  ]),
  createRun('runs a failing script', [
    ...repeatCall(10, () => ({
      command: 'python reproduce.py',
      result:
        'Traceback (most recent call last):\n  File "reproduce.py", line 3, in <module>\n    main()\nValueError: bad input\n',
      failed: true,
    })),
  ]),
  createRun('works', [
    { command: 'ls', result: 'a.py\n' },
    { command: 'cat a.py', result: 'raise ValueError("not found")\n' },
    { command: 'cd nope', result: 'bash: cd: nope: No such file or directory', failed: true },
    { command: 'sed -i s/a/b/ a.py', result: '' },
    { command: 'python -m pytest', result: '2 passed in 0.1s\n' },
    { command: 'submit', result: 'Submitted.' },
  ]),
  createRun('pages through a file', [
    ...repeatCall(12, (index) => ({
      command: `sed -n ${index * 10},${index * 10 + 9}p log.txt`,
      result: `line ${index}: error: nothing of importance\n`,
    })),
  ]),
];

type RawForm = {
  readonly name: string;
  readonly format: TraceFormat;
  readonly write: (run: RecordedRun) => Json;
};

function getCommand({ args }: RecordedStep): string {
  return (args as { readonly command: string }).command;
}

const rawForms: readonly RawForm[] = [
  {
    name: 'a trajectory of SWE-agent',
    format: sweAgentFormat,
    write: ({ steps }) => ({
      info: { exit_status: 'submitted' },
      trajectory: steps
        .filter(({ role }) => role === 'assistant')
        .map((step) => ({
          thought: step.text ?? '',
          response: `${step.text}\n\`\`\`\n${getCommand(step)}\n\`\`\``,
          action: `${getCommand(step)}\n`,
          observation: formatToolOutput(step.result ?? ''),
          state: '{"open_file": "n/a", "working_dir": "/project"}',
        })),
    }),
  },
  {
    name: 'a history of SWE-agent',
    format: sweAgentFormat,
    write: ({ steps }) => ({
      history: steps.flatMap((step): readonly Json[] =>
        step.role === 'user'
          ? [{ role: 'user', content: step.text ?? '', message_type: 'observation_of_the_task' }]
          : [
              {
                role: 'assistant',
                content: step.text ?? '',
                thought: step.text ?? '',
                action: `${getCommand(step)}\n`,
                message_type: 'action',
              },
              {
                role: 'user',
                content: [{ type: 'text', text: `OBSERVATION:\n${formatToolOutput(step.result ?? '')}` }],
                message_type: 'observation',
              },
            ],
      ),
    }),
  },
  {
    name: 'events of OpenHands',
    format: openhandsFormat,
    write: ({ steps }) =>
      steps.flatMap((step, id): readonly Json[] =>
        step.role === 'user'
          ? [{ id: -1, source: 'user', action: 'message', args: { content: step.text ?? '' } }]
          : [
              {
                id,
                source: 'agent',
                action: 'run',
                args: { command: getCommand(step), thought: step.text ?? '' },
                tool_call_metadata: { function_name: 'bash' },
              },
              {
                id: id + 1_000,
                source: 'agent',
                observation: 'run',
                cause: id,
                content: formatToolOutput(step.result ?? ''),
                extras: { command: getCommand(step), metadata: { exit_code: -1 } },
              },
            ],
      ),
  },
  {
    name: 'a trajectory of moatless',
    format: moatlessFormat,
    write: ({ steps }) => ({
      nodes: steps.map((step, node_id) => ({
        node_id,
        ...(step.role === 'user'
          ? { user_message: step.text ?? '' }
          : { assistant_message: step.text ?? '' }),
        action_steps:
          step.tool === undefined
            ? []
            : [
                {
                  action: { name: 'bash', thoughts: '', command: getCommand(step) },
                  observation: {
                    message: formatToolOutput(step.result ?? ''),
                    expect_correction: step.error === true,
                  },
                },
              ],
      })),
    }),
  },
  {
    name: 'messages of OpenAI',
    format: openaiChatFormat,
    write: ({ steps }) => ({
      messages: steps.flatMap((step, id): readonly Json[] =>
        step.role === 'user'
          ? [{ role: 'user', content: step.text ?? '' }]
          : [
              {
                role: 'assistant',
                content: step.text ?? '',
                tool_calls: [
                  {
                    id: `c${id}`,
                    type: 'function',
                    function: { name: 'bash', arguments: JSON.stringify({ command: getCommand(step) }) },
                  },
                ],
              },
              { role: 'tool', tool_call_id: `c${id}`, content: formatToolOutput(step.result ?? '') },
            ],
      ),
    }),
  },
];

/** The verdicts without the numbers of the steps, which depend on whether the form has the message of the user. */
function listVerdicts(run: RecordedRun): readonly string[] {
  const first = run.steps.findIndex(({ role }) => role === 'assistant');
  return auditRun(run).map(({ step, severity, rule }) => `${step - first}: ${severity} ${rule}`);
}

function listStatuses({ steps }: RecordedRun): readonly unknown[] {
  return steps.flatMap((step) =>
    step.tool === undefined ? [] : [observeRecordedCall(step, step.tool).status],
  );
}

describe.each(rawForms)('$name', ({ format, write }) => {
  it.each(runs.map((run) => [run.id, run] as const))('is judged as the normalized run: %s', (_id, run) => {
    const normalized = parseSingleRun(normalizedFormat, JSON.parse(JSON.stringify(run)) as Json);
    const raw = parseSingleRun(format, write(run));
    expect(listStatuses(raw)).toEqual(listStatuses(normalized));
    expect(listVerdicts(raw)).toEqual(listVerdicts(normalized));
  });
});

describe('the runs that the raw forms are compared on', () => {
  it('have verdicts where the agent is stuck, and none where it works', () => {
    const stuck = runs.filter((run) => listVerdicts(run).length > 0).map(({ id }) => id);
    expect(stuck).toEqual(runs.slice(0, 4).map(({ id }) => id));
  });
});
