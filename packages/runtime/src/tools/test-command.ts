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
    isConfinedToFolder: true,
    reconcile: reconcileCommand,
    timeoutMs: testTimeoutMs,
    outputCharsMax: 60_000,
    description: 'Run the tests of the project; returns how many passed and failed, and the output.',
    parameters: z.object({
      args: z
        .array(z.string().max(1_000))
        .max(20)
        .optional()
        .describe(
          'Additional arguments for the command, such as the path of one test file. Each is passed unchanged.',
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
        (chunk) => counter.addOutput(chunk),
      );
      return run.kind === 'refused' ? run.result : toTestResult(line, run, counter.counts());
    },
  });
}

const unknownTestCommandText =
  'The test command of this project is unknown. Configure the test command, or run the tests with shell.';

function toTestResult(
  command: string,
  { end, output }: Extract<CommandLineRun, { readonly kind: 'ran' }>,
  tests: TestCounts | null,
): ToolResult {
  if (end.kind !== 'exited') return toUnfinishedResult(end, output);
  const effects = tests === null ? {} : { tests };
  if (end.code !== 0 && (tests === null || tests.failed === 0)) {
    const message = `${command} ended with exit code ${end.code}, but no test failed.`;
    return { ...createToolFailure('failed', `${message}\n${output}`), ...effects };
  }
  return { ok: true, output: { command, exitCode: end.code, ...tests, output }, ...effects };
}

/** Appends each argument in single quotes, so that the shell does not interpret it. */
function appendArguments(command: string, args: readonly string[]): string {
  if (args.length === 0) return command;
  const quoted = args.map((arg) => `'${arg.replaceAll("'", String.raw`'\''`)}'`);
  const separator = /^npm (?:run |test\b)/.test(command) ? ['--'] : [];
  return [command, ...separator, ...quoted].join(' ');
}
