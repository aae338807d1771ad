import { formatToolOutput, readToolResult, type Json, type ToolResultReading } from '../../src/index.ts';
import type { RecordedRun, RecordedStep, TraceFormat, TraceProblem } from '../../src/traces/trace-format.ts';

/** Reads a document that holds one run without any problem, and fails if it does not. */
export function parseSingleRun(format: TraceFormat, document: Json): RecordedRun {
  const { runs, problems } = format.parse(document, 'name');
  const [run] = runs;
  if (problems.length > 0 || run === undefined || runs.length > 1) {
    throw new Error(`expected one run and no problem: ${runs.length} runs, ${JSON.stringify(problems)}`);
  }
  return run;
}

/** The problems in a document, each on a line. */
export function listTraceProblems(format: TraceFormat, document: Json): readonly string[] {
  return format.parse(document, 'name').problems.map(formatTraceProblem);
}

export function formatTraceProblem({ location, problem }: TraceProblem): string {
  return location === '' ? problem : `${location}: ${problem}`;
}

/** Steps without what they cost and when they were. */
export function omitCostAndTime(steps: readonly RecordedStep[]): readonly object[] {
  return steps.map(({ tokens: _tokens, inputTokens: _inputTokens, at: _at, ...step }) => step);
}

/** Steps with what the governor reads in the results of their calls, in place of what the format holds. */
export function readSteps(steps: readonly RecordedStep[]): readonly object[] {
  return steps.map(({ tokens: _tokens, inputTokens: _inputTokens, at: _at, ...step }) => {
    if (step.tool === undefined) return step;
    const { error: _error, exitCode: _exitCode, ...rest } = step;
    const { status, text } = readStepResult(step);
    return { ...rest, result: text, status };
  });
}

/** The calls of a run in short: tool, output and status, as the governor reads them. */
export function readCallResults({ steps }: RecordedRun): readonly unknown[] {
  return steps.flatMap((step) => {
    if (step.tool === undefined) return [];
    const { status, text } = readStepResult(step);
    return [[step.tool, text, status]];
  });
}

function readStepResult({
  tool = '',
  args = null,
  result = '',
  error,
  exitCode,
}: RecordedStep): ToolResultReading {
  return readToolResult({ tool, args, output: formatToolOutput(result), isError: error, exitCode });
}

/** The calls of a run in short: tool, result, and whether the format marks it as failed. */
export function listCallOutcomes({ steps }: RecordedRun): readonly unknown[] {
  return steps
    .filter(({ tool }) => tool !== undefined)
    .map(({ tool, result, error }) => [tool, result, error]);
}
