/** What is wrong with a user-written file, and where. */
export type DataFileProblem = {
  readonly problem: string;
  /** One-based; null if the problem does not concern a single line. */
  readonly line?: number | null | undefined;
  readonly cause?: unknown;
};

/** Error codes that apply to every data file. */
export type DataFileErrorCode =
  | 'missing'
  | 'not-a-file'
  | 'unreadable'
  | 'too-large'
  | 'unknown-kind'
  | 'syntax'
  | 'invalid';

/** Formats the file, the line and the problem in one line. */
export function formatDataFileProblem(path: string, { problem, line = null }: DataFileProblem): string {
  return `${JSON.stringify(path)}${line === null ? '' : `, line ${line}`}: ${problem}`;
}

/** A data file cannot be used. The one-line message names the file, the line, the problem and the fix. */
export class DataFileError<Code extends string> extends Error {
  readonly code: Code;
  readonly path: string;
  readonly line: number | null;

  constructor(code: Code, path: string, { problem, line = null, cause }: DataFileProblem) {
    super(formatDataFileProblem(path, { problem, line }), { cause });
    this.code = code;
    this.path = path;
    this.line = line;
  }
}
