import type { Writable } from 'node:stream';
import type { TraceReadProblem } from '@pawl/runtime';
import { fit } from './columns.ts';

/** How many problems are told one by one; the rest are counted. */
const toldMax = 20;

/** Columns of one problem. The list of all that was looked for in a file is longer than any other. */
const columnsMax = 2_000;

/** Tells of problems, one line each, on the error output, where they are in nobody's way. */
export function problemTeller(stderr: Writable): { tell(problem: TraceReadProblem): void; end(): void } {
  let count = 0;
  return {
    tell(problem) {
      count += 1;
      if (count <= toldMax) stderr.write(`pawl: ${problemLine(problem)}\n`);
    },
    end() {
      const rest = count - toldMax;
      if (rest > 0) stderr.write(`pawl: ${rest} more ${rest === 1 ? 'problem' : 'problems'} like these\n`);
    },
  };
}

function problemLine({ file, line, message }: TraceReadProblem): string {
  return fit(`${file}${line === null ? '' : `:${line}`}: ${message}`, columnsMax);
}
