import * as z from 'zod';
import { detectTestCommand } from './detect-test-command.ts';
import {
  toUnfinishedResult,
  runCommandLine,
  reconcileCommand,
  type CommandOptions,
  type CommandLineRun,
} from './shell.ts';
import { TestCounter, type TestCounts } from './test-counts.ts';
import { defineTool, createToolFailure, type Tool, type ToolResult } from './tool.ts';

const testTimeoutMs = 600_000;

export type TestToolOptions = CommandOptions & {
  /** The test command line; detected from the project's files by default. */
  readonly command?: string;
};

/** Runs the project's tests and counts them. Failing tests are a result, not a tool error. */
export function createTestTool(options: TestToolOptions): Tool {
  return defineTool({
    name: 'test',
    effect: 'not-repeatable',
    reconcile: reconcileCommand,
    timeoutMs: testTimeoutMs,
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
      if (command === null) return createToolFailure('failed', unknownTestCommandText);
      const counter = new TestCounter();
      const line = appendArguments(command, args);
      const run = await runCommandLine(
        options,
        { line, cwd: '.', timeoutMs: testTimeoutMs },
        context,
        (chunk) => counter.hear(chunk),
      );
      return run.kind === 'refused' ? run.result : toTestResult(line, run, counter.counts());
    },
  });
}

const unknownTestCommandText =
  'It is not known how this project runs its tests. Set the test command, or run them with shell.';

function toTestResult(
  command: string,
  { end, output }: Extract<CommandLineRun, { readonly kind: 'ran' }>,
  tests: TestCounts | null,
): ToolResult {
  if (end.kind !== 'exited') return toUnfinishedResult(end, output);
  const known = tests === null ? {} : { tests };
  if (end.code !== 0 && (tests === null || tests.failed === 0)) {
    const what = `${command} ended with exit code ${end.code}, and not because a test failed.`;
    return { ...createToolFailure('failed', `${what}\n${output}`), ...known };
  }
  return { ok: true, output: { command, exitCode: end.code, ...tests, output }, ...known };
}

/** Appends each argument in single quotes, so that the shell does not interpret it. */
function appendArguments(command: string, args: readonly string[]): string {
  if (args.length === 0) return command;
  const quoted = args.map((arg) => `'${arg.replaceAll("'", String.raw`'\''`)}'`);
  const separator = /^npm (?:run |test\b)/.test(command) ? ['--'] : [];
  return [command, ...separator, ...quoted].join(' ');
}
