/** What is wrong with a file that somebody wrote, and where in it. */
export type FileProblem = {
  readonly problem: string;
  /** Counted from one; null where the trouble is not with a line. */
  readonly line?: number | null | undefined;
  readonly cause?: unknown;
};

/** What can be wrong with any such file. */
export type WrittenFileErrorCode =
  | 'missing'
  | 'not-a-file'
  | 'unreadable'
  | 'too-large'
  | 'unknown-kind'
  | 'syntax'
  | 'invalid';

/** A file that cannot be used. The message is one line: which file, where in it, what is wrong, what to do. */
export class WrittenFileError<Code extends string> extends Error {
  readonly code: Code;
  readonly path: string;
  readonly line: number | null;

  constructor(code: Code, path: string, { problem, line = null, cause }: FileProblem) {
    super(`${JSON.stringify(path)}${line === null ? '' : `, line ${line}`}: ${problem}`, { cause });
    this.code = code;
    this.path = path;
    this.line = line;
  }
}
