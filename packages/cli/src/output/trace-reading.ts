import type { Writable } from 'node:stream';
import type { TraceReadProblem } from '@pawl/runtime/traces';
import { truncateColumns } from './columns.ts';
import { formatCount } from './format-number.ts';

/** Maximum number of problems printed individually; the rest are only counted. */
const maxReportedProblems = 20;

/** Maximum columns per problem; the list of formats tried on a file is the longest message. */
const maxProblemColumns = 2_000;

/** Prints problems to standard error, one line each, up to a maximum number. */
export function createProblemReporter(
  stderr: Writable,
  problemsMax: number = maxReportedProblems,
): {
  report(problem: TraceReadProblem): void;
  end(): void;
} {
  let count = 0;
  return {
    report(problem) {
      count += 1;
      if (count <= problemsMax) stderr.write(`pawl: ${formatProblemLine(problem)}\n`);
    },
    end() {
      const rest = count - problemsMax;
      if (rest > 0) stderr.write(`pawl: ${rest} more ${rest === 1 ? 'problem' : 'problems'} not shown\n`);
    },
  };
}

function formatProblemLine({ file, line, message }: TraceReadProblem): string {
  return truncateColumns(`${file}${line === null ? '' : `:${line}`}: ${message}`, maxProblemColumns);
}

/** Formats the progress of reading traces for the progress line. */
export function formatReadingProgress(runs: number, file: string, bytes: number): string {
  return `${formatCount(runs, 'run')}, ${(bytes / 1024 / 1024).toFixed(0)} MB read: ${file}`;
}
