import * as z from 'zod';
import { detectTestCommand } from './detect-test-command.ts';
import { notEnded, runLine, settleCommand, type CommandOptions, type LineRun } from './shell.ts';
import { TestCounter, type TestCounts } from './test-counts.ts';
import { defineTool, failure, type Tool, type ToolResult } from './tool.ts';

const timeoutMs = 600_000;

export type TestToolOptions = CommandOptions & {
  /** The command line that runs the tests; found out from the project's files if left out. */
  readonly command?: string;
};

/** Runs the project's tests and counts them. Tests that fail are a result, not an error of the tool. */
export function createTestTool(options: TestToolOptions): Tool {
  return defineTool({
    name: 'test',
    effect: 'not-repeatable',
    settle: settleCommand,
    timeoutMs,
    outputCharsMax: 60_000,
    description: 'Run the tests of the project and see how many passed and failed, and what they wrote.',
    parameters: z.object({
      args: z
        .array(z.string().max(1_000))
        .max(20)
        .optional()
        .describe(
          'More arguments for the command, such as the path of one test file. Each is passed on as it is.',
        ),
    }),
    async run({ args = [] }, context) {
      const command = options.command ?? (await detectTestCommand(options.root));
      if (command === null) return failure('failed', unknownCommand);
      const counter = new TestCounter();
      const line = withArguments(command, args);
      const run = await runLine(options, { line, cwd: '.', timeoutMs }, context, (chunk) =>
        counter.hear(chunk),
      );
      return run.kind === 'refused' ? run.result : toResult(line, run, counter.counts());
    },
  });
}

const unknownCommand =
  'It is not known how this project runs its tests. Set the test command, or run them with shell.';

function toResult(
  command: string,
  { end, output }: Extract<LineRun, { readonly kind: 'ran' }>,
  tests: TestCounts | null,
): ToolResult {
  if (end.kind !== 'exited') return notEnded(end, output);
  const known = tests === null ? {} : { tests };
  if (end.code !== 0 && (tests === null || tests.failed === 0)) {
    const what = `${command} ended with exit code ${end.code}, and not because a test failed.`;
    return { ...failure('failed', `${what}\n${output}`), ...known };
  }
  return { ok: true, output: { command, exitCode: end.code, ...tests, output }, ...known };
}

/** Each in single quotes, where a shell reads nothing into it. */
function withArguments(command: string, args: readonly string[]): string {
  if (args.length === 0) return command;
  const quoted = args.map((arg) => `'${arg.replaceAll("'", String.raw`'\''`)}'`);
  const separator = /^npm (?:run |test\b)/.test(command) ? ['--'] : [];
  return [command, ...separator, ...quoted].join(' ');
}
