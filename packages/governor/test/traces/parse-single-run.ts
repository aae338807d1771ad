import type { Json } from '../../src/index.ts';
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

/** The calls of a run in short: tool, result, and whether it failed. */
export function listCallOutcomes({ steps }: RecordedRun): readonly unknown[] {
  return steps
    .filter(({ tool }) => tool !== undefined)
    .map(({ tool, result, error }) => [tool, result, error]);
}
