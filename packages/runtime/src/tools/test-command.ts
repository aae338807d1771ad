import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';
import {
  toUnfinishedResult,
  runCommandLine,
  reconcileCommand,
  type CommandOptions,
  type CommandLineRun,
} from './shell.ts';
import { defineTool, createToolFailure, type Tool, type ToolResult } from './tool.ts';
import { readTextFile } from '../search/text-file.ts';

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

const manifestSchema = z.object({ scripts: z.object({ test: z.string() }) });
const manifestBytesMax = 1024 * 1024;

/** The placeholder test script that `npm init` writes. */
const placeholderPattern = /no test specified/;

/** Detects the project's test command from its files; null if none is found. */
export async function detectTestCommand(root: string): Promise<string | null> {
  if (await hasTestScript(root)) {
    const manager = await findFirstMarker(root, packageManagers);
    return `${manager ?? 'npm'} test`;
  }
  return findFirstMarker(root, testRunners);
}

async function hasTestScript(root: string): Promise<boolean> {
  const file = await readTextFile(join(root, 'package.json'), manifestBytesMax);
  if (!file.ok) return false;
  try {
    const parsed = manifestSchema.safeParse(JSON.parse(file.text));
    return parsed.success && !placeholderPattern.test(parsed.data.scripts.test);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

type ProjectMarker = { readonly file: string; readonly command: string };

const packageManagers: readonly ProjectMarker[] = [
  { file: 'pnpm-lock.yaml', command: 'pnpm' },
  { file: 'yarn.lock', command: 'yarn' },
];

const testRunners: readonly ProjectMarker[] = [
  { file: 'Cargo.toml', command: 'cargo test' },
  { file: 'go.mod', command: 'go test -v ./...' },
  { file: 'pytest.ini', command: 'pytest' },
  { file: 'pyproject.toml', command: 'pytest' },
];

async function findFirstMarker(root: string, markers: readonly ProjectMarker[]): Promise<string | null> {
  for (const { file, command } of markers) {
    const exists = await access(join(root, file)).then(
      () => true,
      () => false,
    );
    if (exists) return command;
  }
  return null;
}

export type TestCounts = { readonly passed: number; readonly failed: number };

/** Summary lines of test runners are short. */
const lineCharsMax = 500;

/**
 * Counts tests in the streamed output of a test run, because the summary may be in the middle of an output too long to
 * buffer. Supports vitest, jest, node:test, mocha, pytest, go test and cargo test; several runs are added up.
 */
export class TestCounter {
  readonly #decoder = new TextDecoder();
  #line = '';
  #passed = 0;
  #failed = 0;
  #hasCounts = false;
  #goPackages = { passed: 0, failed: 0 };

  addOutput(chunk: Buffer): void {
    const lines = this.#decoder.decode(chunk, { stream: true }).split('\n');
    for (const [index, piece] of lines.entries()) {
      this.#line = (this.#line + piece).slice(0, lineCharsMax);
      if (index < lines.length - 1) this.#endLine();
    }
  }

  /** Returns null if the output mentions no tests. */
  counts(): TestCounts | null {
    this.#endLine();
    if (this.#hasCounts) return { passed: this.#passed, failed: this.#failed };
    // Without -v, go does not list passing tests, so count packages instead.
    const { passed, failed } = this.#goPackages;
    return passed + failed === 0 ? null : { passed, failed };
  }

  #endLine(): void {
    const line = stripVTControlCharacters(this.#line).trimEnd();
    this.#line = '';
    const go = /^(ok|FAIL)\s+\S+\s+(?:\(cached\)|\[build failed\]|[\d.]+s)/.exec(line);
    if (go !== null) this.#goPackages[go[1] === 'ok' ? 'passed' : 'failed'] += 1;
    const counts = parseTestCounts(line);
    if (counts === null) return;
    this.#hasCounts = true;
    this.#passed += counts.passed;
    this.#failed += counts.failed;
  }
}

function parseTestCounts(line: string): TestCounts | null {
  const reader = summaryPatterns.find(({ summary }) => summary.test(line));
  if (reader === undefined) return null;
  return { passed: sumMatches(line, reader.passed), failed: sumMatches(line, reader.failed) };
}

function sumMatches(line: string, pattern: RegExp | null): number {
  if (pattern === null) return 0;
  return Array.from(line.matchAll(pattern)).reduce((total, [, count]) => total + Number(count ?? 1), 0);
}

/** Matches summary lines and extracts their numbers; a pattern without a number counts as one. */
type SummaryPattern = {
  readonly summary: RegExp;
  readonly passed: RegExp | null;
  readonly failed: RegExp | null;
};

const summaryPatterns: readonly SummaryPattern[] = [
  // vitest: "      Tests  1 failed | 12 passed | 2 skipped (15)"
  { summary: /^\s*Tests {2,}\d+ \w/, passed: /(\d+) passed/g, failed: /(\d+) failed/g },
  // jest: "Tests:       1 failed, 2 skipped, 12 passed, 15 total"
  { summary: /^Tests: +\d+ \w.* total$/, passed: /(\d+) passed/g, failed: /(\d+) failed/g },
  // node:test: "ℹ pass 4" and "ℹ fail 1", or "# pass 4" in TAP
  { summary: /^(?:ℹ|#) pass \d+$/, passed: /(\d+)$/g, failed: null },
  { summary: /^(?:ℹ|#) fail \d+$/, passed: null, failed: /(\d+)$/g },
  // mocha: "  12 passing (34ms)" and "  1 failing"
  { summary: /^\s*\d+ passing \(/, passed: /(\d+) passing/g, failed: null },
  { summary: /^\s*\d+ failing$/, passed: null, failed: /(\d+) failing/g },
  // pytest: "=== 1 failed, 12 passed, 1 error in 0.12s ===", without the equals signs in quiet mode
  {
    summary: /^=* ?\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?)\b.* in [\d.]+s/,
    passed: /(\d+) (?:passed|xfailed)/g,
    failed: /(\d+) (?:failed|errors?|xpassed)/g,
  },
  // go test: "--- FAIL: TestSum (0.00s)"; subtests are indented and not counted
  { summary: /^--- (?:PASS|FAIL): /, passed: /^--- PASS/g, failed: /^--- FAIL/g },
  // cargo test: "test result: FAILED. 12 passed; 1 failed; 0 ignored; …"
  { summary: /^test result: \w+\. \d+ passed/, passed: /(\d+) passed/g, failed: /(\d+) failed/g },
];
