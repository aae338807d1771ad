export type ChartFileErrorCode =
  | 'missing'
  | 'not-a-file'
  | 'unreadable'
  | 'too-large'
  | 'unknown-kind'
  | 'syntax'
  | 'invalid';

/** A file that has no usable chart in it. The message is one line: which file, where in it, what is wrong, what to do. */
export class ChartFileError extends Error {
  override readonly name = 'ChartFileError';
  readonly code: ChartFileErrorCode;
  readonly path: string;
  /** Counted from one; null where the trouble is not with a line. */
  readonly line: number | null;

  constructor(code: ChartFileErrorCode, path: string, { problem, line = null, cause }: ChartFileProblem) {
    super(`${JSON.stringify(path)}${line === null ? '' : `, line ${line}`}: ${problem}`, { cause });
    this.code = code;
    this.path = path;
    this.line = line;
  }
}

export type ChartFileProblem = {
  readonly problem: string;
  readonly line?: number | null | undefined;
  readonly cause?: unknown;
};
