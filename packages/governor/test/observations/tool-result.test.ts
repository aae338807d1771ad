import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { observeCall, readToolResult, type ToolResultReading } from '../../src/index.ts';
import { errorGroups, toolResultCases } from './tool-results.ts';

describe('a tool result', () => {
  it.each(toolResultCases.map((each) => [each.status, JSON.stringify(each).slice(0, 300), each] as const))(
    'is %s: %s',
    (status, _text, { tool, args, output, exitCode, isError }) => {
      const result = readToolResult({ tool, args, output, exitCode, isError });
      expect([result.status, result.reason]).toEqual([status, expect.any(String)]);
      expect(result.errorClass === null).toBe(status !== 'failed');
    },
  );

  it('is tested with many outputs, of which half look like something else', () => {
    expect(toolResultCases.length).toBeGreaterThanOrEqual(150);
    const failed = toolResultCases.filter(({ status }) => status === 'failed').length;
    expect(failed / toolResultCases.length).toBeLessThan(0.55);
  });
});

function readCommand(output: string, command = 'make'): ToolResultReading {
  return readToolResult({ tool: 'bash', args: { command }, output });
}

function fingerprintOutcome(output: string): string {
  return observeCall({ seq: 0, tool: 'bash', args: { command: 'make' }, ok: undefined, output }).outcome;
}

describe('the class of an error', () => {
  const classes = errorGroups.map((group) => group.map((output) => readCommand(output).errorClass));

  it('is the same for errors that differ only in numbers, names and headers', () => {
    for (const group of classes) expect(new Set(group).size).toBe(1);
  });

  it('differs for different errors', () => {
    const all = classes.map(([first]) => first);
    expect(all).not.toContain(null);
    expect(new Set(all).size).toBe(errorGroups.length);
  });
});

describe('a call that waits', () => {
  it.each([
    'sleep 30',
    'sleep 30; kubectl get deploy',
    'cd /app && sleep 5 && curl -s localhost:8080',
    'until curl -s localhost:8080; do sleep 1; done',
    'while ! nc -z localhost 5432; do sleep 1; done',
    'watch -n 5 kubectl get pods',
    'kubectl wait --for=condition=ready pod/a',
    'kubectl rollout status deploy/a',
    'timeout 60 sleep 30',
    './wait-for-it.sh db:5432 -- npm start',
    'curl --retry 5 http://localhost:8080',
  ])('is recognized: %s', (command) => {
    expect(readCommand('deploy 0/1', command).isWaitingCall).toBe(true);
  });

  it.each(['npm start & sleep 2; curl -s localhost:3000', 'echo sleep', 'timeout 30 npm test', 'ls'])(
    'is not every call that sleeps: %s',
    (command) => {
      expect(readCommand('x', command).isWaitingCall).toBe(false);
    },
  );
});

/** The same output of a command in the forms of all clients. */
function listClientForms(text: string): readonly string[] {
  return [
    JSON.stringify({ output: text, metadata: { exit_code: 2, duration_seconds: 0.1 } }),
    JSON.stringify({ exitCode: 2, output: text }),
    `Chunk ID: 4d1a\nWall time: 0.05 seconds\nProcess exited with code 2\nOutput:\n${text}`,
    `Exit code: 2\nWall time: 7 seconds\nOutput:\n${text}`,
    `<returncode>2</returncode>\n<output>\n${text}</output>`,
    `${text}\n[The command completed with exit code 2.]\n[Current working directory: /app]`,
    `${text}\n[Command finished with exit code 2]`,
    `${text}\n<shellId: 7 completed with exit code 2>`,
    `Exit code 2\n${text}`,
    JSON.stringify([{ query: 'x', result: `[Command exited with code 2]\n${text}`, success: false }]),
    `The command ended with exit code 2.\n${text}`,
  ];
}

describe('the text of a result', () => {
  it('is the same in the forms of all clients, and so is its fingerprint', () => {
    const line = fc.string({ maxLength: 40 }).map((text) => `out ${text.replaceAll(/[^a-z ]/g, '')}`);
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (lines) => {
        const text = lines.join('\n');
        const results = listClientForms(text).map((output) => readCommand(output));
        for (const result of results) expect(result).toMatchObject({ text, exitCode: 2, status: 'failed' });
        expect(new Set(listClientForms(text).map(fingerprintOutcome)).size).toBe(1);
      }),
    );
  });

  it('has no notes to the model at its end, and keeps those that are its content', () => {
    const note = '<system-reminder>\nThe task tools have not been used.\n</system-reminder>';
    expect(readCommand(`Exit code 1\nvm\n\n${note}\n\n${note}\n`)).toMatchObject({ text: 'vm', exitCode: 1 });
    expect(readCommand(note).text).toBe('');
    expect(readCommand(`${note}\nend`).text).toBe(`${note}\nend`);
    expect(readCommand('a\n</system-reminder>').text).toBe('a\n</system-reminder>');
  });

  it('has no colors and nothing that a terminal overwrites', () => {
    expect(readCommand('\u001B[31mred\u001B[0m').text).toBe('red');
    expect(readCommand('10%\r50%\r100%\ndone').text).toBe('100%\ndone');
  });

  it('reports whether something was omitted', () => {
    expect(readCommand('a\n[output truncated]\nb').isTruncated).toBe(true);
    expect(readCommand('a\n... 120 lines omitted ...\nb').isTruncated).toBe(true);
    expect(readCommand('a\nb').isTruncated).toBe(false);
  });
});

describe('the fingerprint of a result', () => {
  const number = fc.integer({ min: 100, max: 99_999 });
  const volatileTexts: readonly ((value: number) => string)[] = [
    (line) => `bash: line ${line}: javac: command not found`,
    (line) => `sh: ${line}: foo: not found`,
    (pid) => `started with pid ${pid}`,
    (pid) => `sshd[${pid}]: session opened`,
    (time) => `done in ${time} ms`,
    (time) => `finished 2026-01-01T10:00:00.${time}Z`,
    (id) => `request_id req_a${id}bcdef`,
    (id) => `wrote /tmp/out-${id}.txt`,
    (id) => `object at 0x${id.toString(16)}`,
    (id) => `\u280B working, ${'\u2819'.repeat(id % 5)}`,
  ];

  it.each(volatileTexts.map((format) => [format(12_345), format] as const))(
    'ignores what changes by itself: %s',
    (_text, format) => {
      fc.assert(
        fc.property(number, number, (a, b) => {
          expect(fingerprintOutcome(format(a))).toBe(fingerprintOutcome(format(b)));
        }),
      );
    },
  );

  it('differs with other numbers, which may be the new information', () => {
    expect(fingerprintOutcome('3 of 10 done')).not.toBe(fingerprintOutcome('4 of 10 done'));
  });
});

describe('reading', () => {
  const fragment = fc.constantFrom(
    'error: ',
    'Traceback (most recent call last):\n',
    '\n    at x (y:1:2)',
    '{"exit_code":',
    '"output":"',
    'Exit code: 1\n',
    'Output:\n',
    '<returncode>',
    'a'.repeat(50),
    '\n',
    '[',
    '= ',
    '1 failed',
    ': ',
    '\r',
    '\u001B[',
    "'",
    '(',
    '<<EOF\n',
  );
  const anyText = fc.oneof(
    fc.string(),
    fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join('')),
  );

  it('never throws, is deterministic, and does not change a text that was read before', () => {
    fc.assert(
      fc.property(
        anyText,
        anyText,
        fc.jsonValue(),
        fc.option(fc.boolean()),
        (output, command, json, mark) => {
          for (const args of [{ command }, command, json as never]) {
            const facts = { tool: 'bash', args, output, isError: mark ?? undefined };
            expect(readToolResult(facts)).toEqual(readToolResult(facts));
          }
        },
      ),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z0-9 ]{0,30}$/), { maxLength: 6 }), (lines) => {
        const { text } = readCommand(lines.join('\n'));
        expect(readCommand(text).text).toBe(text);
      }),
    );
  });

  it.each([
    ['one long line', 'e'.repeat(1_000_000)],
    ['spaces', `${' '.repeat(1_000_000)}Error: late`],
    ['suspicious lines', 'error error failed: \n'.repeat(50_000)],
    ['colons', ': error: '.repeat(120_000)],
    ['brackets', '['.repeat(1_000_000)],
    ['equals signs', `${'= '.repeat(500_000)}1 failed`],
    ['digits', '1 '.repeat(500_000)],
    ['carriage returns', 'a\r'.repeat(500_000)],
    ['stack frames', `Error: x\n${'    at a (b:1:2)\n'.repeat(60_000)}`],
    ['nested JSON', '{"output":'.repeat(100_000)],
  ])('takes bounded time on 1 MB of %s', (_name, output) => {
    const start = performance.now();
    for (const args of [{ command: 'make' }, { command: output }, output])
      readToolResult({ tool: 'bash', args, output });
    // Far more than it takes on a busy machine; a pattern that backtracks takes minutes.
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
